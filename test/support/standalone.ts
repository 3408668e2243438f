import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { MAIN, gatewayEnv } from './gateway.ts'
import type { TempFolder } from './temp-folder.ts'

/** Starts a built-in server by itself over HTTP, on a free port; gives its address. */
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
  const lines: string[] = []
  const reader = createInterface({ input: child.stderr })
  const url = await new Promise<string>((resolve, reject) => {
    reader.on('line', (line) => {
      lines.push(line)
      const address = /^portolan listening on (\S+)/.exec(line)?.[1]
      if (address !== undefined) resolve(address)
    })
    child.once('exit', () => reject(new Error(`it ended before it listened:\n${lines.join('\n')}`)))
  })
  async function stop(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  onTestFinished(stop)
  return { url, stop }
}
