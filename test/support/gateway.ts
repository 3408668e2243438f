import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { namedFiles } from './named-files.ts'
import type { Later, TempFolder } from './temp-folder.ts'

export const MAIN = join(import.meta.dirname, '../../dist/cli/main.js')

export interface RunningGateway {
  readonly url: string
  readonly child: ChildProcess
  /** Returns its stderr so far. */
  log(): string
  readonly close: () => Promise<void>
}

/**
 * The environment of a gateway that only uses its folder. It joins no other gateway and starts none,
 * which would outlive the test, unless `env` says so.
 */
export function gatewayEnv(folder: TempFolder, env: Record<string, string> = {}) {
  return {
    PATH: process.env['PATH'],
    HOME: folder.path,
    PORTOLAN_HOME: folder.file('data'),
    PORTOLAN_ALONE: '1',
    ...namedFiles(folder, env),
    ...env,
  }
}

/** Starts the real, built gateway in a folder with its config files, on a free port: `serve`, `record …`. */
export async function startGateway(
  folder: TempFolder,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  later: Later = onTestFinished,
): Promise<RunningGateway> {
  const [command, rest] = /^(?:record|replay)$/.test(args[0] ?? '')
    ? [args.slice(0, 1), args.slice(1)]
    : [['serve'], args]
  const child = spawn(process.execPath, [MAIN, ...command, '--port', '0', ...rest], {
    cwd: folder.path,
    env: gatewayEnv(folder, env),
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const started = await untilListening(child)
  later(started.close)
  return started
}

/** Waits until a program of ours prints the address on which it listens. */
export async function untilListening(
  child: ChildProcessByStdio<null, null, Readable>,
): Promise<RunningGateway> {
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
  async function close(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { url, child, log: () => lines.join('\n'), close }
}
