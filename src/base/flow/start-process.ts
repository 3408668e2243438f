import { type ChildProcess, fork } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import { moduleFile } from '../files/package-files.ts'

export interface ProcessOptions {
  /** The most memory for its objects; a process that needs more ends with SIGABRT. */
  readonly memoryMb: number
}

/**
 * Starts one of our modules as a child process that exchanges messages with this one. Unlike a
 * thread, it may run out of memory: a single large allocation in a thread ends the whole process,
 * whatever its limit. Its environment is empty, because ours may hold secrets, and it prints nothing.
 */
export function startProcess(name: string, { memoryMb }: ProcessOptions): ChildProcess {
  const file = moduleFile(name)
  const loader = file.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : []
  return fork(file, [], {
    execArgv: [...loader, `--max-old-space-size=${memoryMb}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
  })
}

/** Sets whether a child process keeps this one alive. */
export function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  for (const handle of [child, child.channel]) {
    if (isNeeded) handle?.ref()
    else handle?.unref()
  }
}

/** Ends a child process soon after its parent, even while it is busy: only another thread can. */
export function endWithParent(): void {
  const script = `const { pid, ppid } = process
    setInterval(() => process.ppid === ppid || process.kill(pid, 'SIGKILL'), 1_000)`
  new Worker(script, { eval: true }).unref()
}
