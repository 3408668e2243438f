import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { once } from 'node:events'

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end with `input` on its stdin. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { input = '', ...options }: { cwd: string; env: NodeJS.ProcessEnv; input?: string },
): Promise<Ended> {
  const child = spawn(command, args, { ...options, stdio: 'pipe' })
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
  // The program may end without reading its input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [code]: unknown[] = await once(child, 'exit')
  return { code: Number(code), stdout: await stdout, stderr: await stderr }
}
