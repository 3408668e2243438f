import { execFile } from 'node:child_process'
import { devNull } from 'node:os'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Environment } from '../environment.ts'

const run = promisify(execFile)

/**
 * Settings of git that start programs, switched off. A setting on the command line overrides those
 * of every file.
 */
const GUARDS = [
  'core.fsmonitor=false',
  `core.hooksPath=${devNull}`,
  'safe.bareRepository=explicit',
  'protocol.allow=never',
  'submodule.recurse=false',
  'transfer.bundleURI=false',
  'filter.lfs.process=',
  'filter.lfs.smudge=',
  'filter.lfs.required=false',
].flatMap((setting) => ['-c', setting])

export interface GitOptions {
  /** A folder of our own: git looks there for a repository, and Windows for programs. */
  readonly folder: string
  readonly timeoutMs: number
  /** Added to the environment, of which no other variable of git is passed on. */
  readonly env?: Environment
}

/**
 * Runs git and returns what it prints. Nothing else may start git, and git must never run in a
 * folder that somebody else may have made, nor read its configuration: dozens of settings name
 * programs to run, and new versions of git add more. Read the files of a repository instead.
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<string> {
  const { folder, timeoutMs, env } = options
  const inherited = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name))
  const { stdout } = await run('git', [...GUARDS, ...args], {
    cwd: folder,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    env: {
      ...Object.fromEntries(inherited),
      GIT_CEILING_DIRECTORIES: dirname(folder),
      GIT_TERMINAL_PROMPT: '0',
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: 'none',
      ...env,
    },
  })
  return stdout.trim()
}
