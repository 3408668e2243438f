import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Environment } from '../../../base/environment.ts'
import { findProgram } from '../../../base/files/find-program.ts'
import { withTimeout } from '../../../base/flow/time.ts'
import { findBubblewrap } from '../bubblewrap/find-bubblewrap.ts'
import { openSandbox } from '../bubblewrap/open-sandbox.ts'
import { homeOf } from '../bubblewrap/program-places.ts'
import { type ChildOptions, startChild } from '../child.ts'

const MAX_MS = 600_000
const MAX_OUTPUT = 4_000
const QUIET = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']

export interface NpmRun {
  /** The folder of the package, where npm works: no settings of another folder apply to it. */
  readonly folder: string
  /** Removed with the installation. */
  readonly cacheFolder: string
  /** The `npx` of the entry. Its npm is used. */
  readonly npx: string
  readonly env: Environment
}

/**
 * Runs npm, in a sandbox where this machine has one. Only what runs no code of a package sees the
 * settings of npm, which may have passwords, and its cache. Returns what npm wrote to stderr.
 */
export async function runNpm(
  args: readonly string[],
  { folder, cacheFolder, npx, env }: NpmRun,
): Promise<string> {
  const runsScripts = !args.includes('--ignore-scripts')
  const program = {
    command: npmOf(npx, env),
    args: [...args, ...QUIET],
    env: {},
    cwd: folder,
    inherits: env,
  }
  const settings = join(homeOf(env), '.npmrc')
  const read = runsScripts || !existsSync(settings) ? [] : [settings]
  const caches = [join(homeOf(env), '.npm'), join(cacheFolder, 'npm')]
  const write = runsScripts ? [folder] : [folder, ...caches]
  const sandbox = { read, write, network: 'any', env: [] } as const
  if ('why' in (await findBubblewrap())) return run(program)
  const opened = await openSandbox({ program, sandbox, cacheFolder, ownFolders: [] })
  return run(opened.program)
}

async function run(program: ChildOptions): Promise<string> {
  const child = startChild(program)
  let said = ''
  child.stdout.resume()
  child.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-MAX_OUTPUT)
  })
  child.stdin.end()
  const ended = await withTimeout(child.gone, MAX_MS, () => undefined)
  if (ended) return said.trim() === '' ? ended.message : said.trim()
  await child.stop()
  return `npm did not end within ${MAX_MS / 60_000} minutes`
}

/** Returns the npm that belongs to an npx. */
function npmOf(npx: string, env: Environment): string {
  const found = findProgram(npx, env)
  const beside = found === undefined ? '' : join(dirname(found), 'npm')
  return existsSync(beside) ? beside : 'npm'
}
