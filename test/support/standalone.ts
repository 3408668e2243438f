import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { MAIN, gatewayEnv, untilListening } from './gateway.ts'
import type { TempFolder } from './temp-folder.ts'

/** Starts a built-in server alone over HTTP, on a free port; returns its address. */
export async function startStandalone(
  folder: TempFolder,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(
    process.execPath,
    [MAIN, ...args, '--transport', 'streamable-http', '--port', '0'],
    { cwd: folder.path, env: gatewayEnv(folder, env), stdio: ['ignore', 'inherit', 'pipe'] },
  )
  const { url, close } = await untilListening(child)
  onTestFinished(close)
  return { url, stop: close }
}
