import { readFileSync } from 'node:fs'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface ChildServer {
  readonly pid: number
  /** Resolves when it has ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** `cat` ends with this process in any case, so that no server is left running. */
const KEEPER = '"$@" </dev/null >&2 & pid=$!; echo $pid; cat >/dev/null; kill -KILL $pid; wait $pid'

export async function startChildServer(
  command: string,
  args: readonly string[],
): Promise<ChildServer> {
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', command, ...args], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const [line] = await once(createInterface({ input: keeper.stdout }), 'line')
  const pid = Number(line)
  return {
    pid,
    async end(signal) {
      if (isRunning(pid)) process.kill(pid, signal)
      while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5))
      await endKeeper(keeper)
    },
  }
}

async function endKeeper(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null) return
  keeper.stdin?.end()
  await once(keeper, 'exit')
}

/** A zombie still has a process entry, so its state is checked. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
