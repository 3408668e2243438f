import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { namedFiles } from './named-files.ts'
import type { TempFolder } from './temp-folder.ts'

export interface CliResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Runs the built command line in a folder that is also its home and its data folder. */
export async function runCli(
  folder: TempFolder,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdin = '',
): Promise<CliResult> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [MAIN, ...args],
      {
        cwd: folder.path,
        env: {
          PATH: process.env['PATH'],
          HOME: folder.path,
          PORTOLAN_HOME: folder.file('data'),
          PORTOLAN_ALONE: '1',
          ...namedFiles(folder, env),
          ...env,
        },
      },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
    child.stdin?.end(stdin)
  })
}
