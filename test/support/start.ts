import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Started {
  /** The first line the program wrote to stdout: for our servers, their URL. */
  readonly url: string
  readonly child: ChildProcess
  close(): Promise<void>
}

/** Returns the `.mcp.json` entry of the stdio test upstream. */
export function stdioUpstream(...flags: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [join(import.meta.dirname, 'upstream.mjs'), ...flags] }
}

/** Starts the HTTP test upstream on a free port. */
export async function startHttpUpstream(...flags: string[]): Promise<Started> {
  return start(process.execPath, [join(import.meta.dirname, 'http-upstream.mjs'), ...flags])
}

export async function start(command: string, args: string[], env = process.env): Promise<Started> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
  const lines = createInterface({ input: child.stdout })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${command} ${args.join(' ')} ended with ${String(code)} before it was ready`)
  })
  const url = await Promise.race([once(lines, 'line').then(([line]) => String(line)), ended])
  ended.catch(() => {})
  return {
    url,
    child,
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
