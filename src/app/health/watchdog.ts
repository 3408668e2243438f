import type { Worker } from 'node:worker_threads'
import { startThread } from '../../base/flow/start-thread.ts'
import type { Log, LogOptions } from '../../telemetry/log.ts'

export interface WatchdogOptions {
  /** How long the event loop may be blocked before the process is ended; 0 for no watchdog. */
  readonly blockedMs: number
  readonly format?: LogOptions['format']
}

/** The data that the thread is started with. */
export interface WatchdogData extends WatchdogOptions {
  /** Counts the answers of the main thread. */
  readonly answers: SharedArrayBuffer
}

/** Delays the watchdog until the process has started, so that it does not slow the start. */
const START_AFTER_MS = 3_000

/**
 * Watches the event loop from another thread, which asks it regularly whether it still runs. When
 * it does not, everything else that could notice is blocked too: timers, signals, `/health`.
 */
export function startWatchdog(options: WatchdogOptions, log: Log): void {
  // A debugger stops the main thread on purpose.
  const isDebugged = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].some((option) =>
    option.includes('--inspect'),
  )
  if (options.blockedMs === 0 || isDebugged) return
  setTimeout(() => watch(options, log), START_AFTER_MS).unref()
}

function watch(options: WatchdogOptions, log: Log): void {
  const answers = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
  const counter = new Int32Array(answers)
  const workerData: WatchdogData = { ...options, answers }
  const thread: Worker = startThread('app/health/watchdog-worker', {
    workerData,
    built: 'cjs',
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  thread.once('message', () => log.debug('The watchdog is running'))
  thread.on('message', () => void Atomics.add(counter, 0, 1))
  thread.on('error', (error) => log.warn('There is no watchdog', { error }))
  thread.unref()
}
