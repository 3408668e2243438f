import { type Ended, runProgram } from './run-program.ts'
import { MAIN, gatewayEnv } from './gateway.ts'
import type { TempFolder } from './temp-folder.ts'

/** Runs the built command line, which is faster than from source, in a folder that is its home. */
export async function runBuilt(
  folder: TempFolder,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  return runProgram(process.execPath, [MAIN, ...args], {
    cwd: folder.path,
    env: gatewayEnv(folder, env),
  })
}
