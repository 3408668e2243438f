import { type ChildProcess, fork } from 'node:child_process'
import { moduleFile } from '../files/package-files.ts'

export interface ProcessOptions {
  /** The most memory for its objects; a process that needs more ends with SIGABRT. */
  readonly memoryMb: number
}

/**
 * Starts one of our modules as a child process that exchanges messages with this one. Unlike a
 * thread, it may run out of memory: a single large allocation in a thread ends the whole process,
 * whatever its limit. It gets no environment, which may hold secrets, and it prints nothing.
 */
export function startProcess(name: string, { memoryMb }: ProcessOptions): ChildProcess {
  const file = moduleFile(name)
  const loader = file.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : []
  return fork(file, [], {
    execArgv: [...loader, `--max-old-space-size=${memoryMb}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { PATH: process.env['PATH'] },
  })
}

/** Sets whether a child process keeps this one alive. */
export function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  for (const handle of [child, child.channel]) {
    if (isNeeded) handle?.ref()
    else handle?.unref()
  }
}
