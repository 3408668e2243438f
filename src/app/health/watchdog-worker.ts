import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type Debugger, Session } from 'node:inspector'
import { createLog } from '../../telemetry/log.ts'
import type { WatchdogData } from './watchdog.ts'

/** Time between two questions while the main thread answers. */
const USUAL_PAUSE_MS = 5_000
/** Time between two checks while an answer is missing. */
const ALERT_MS = 1_000

const { answers, blockedMs, format = 'text' }: WatchdogData = workerData
const counter = new Int32Array(answers)
const port = parentPort
/** The text does not matter: handling the message is the answer. */
const ASK = 'still there?'
// The stderr of a thread passes through the main thread, which is the one that is blocked.
const log = createLog({ format, stream: { write: (text) => void writeSync(2, text) } })

/**
 * Counts its own checks instead of the time on the clock: after the machine slept or the process
 * was stopped, the late check adds nothing, however many hours went by.
 */
async function watchForever(): Promise<never> {
  const look = Math.min(ALERT_MS, blockedMs / 4)
  for (;;) {
    const asked = Atomics.load(counter, 0)
    port?.postMessage(ASK)
    let waitedMs = 0
    let isReported = false
    await sleep(Math.min(USUAL_PAUSE_MS, blockedMs / 2))
    while (Atomics.load(counter, 0) === asked) {
      waitedMs += await lookAgain(look)
      if (waitedMs >= blockedMs / 4 && !isReported) {
        isReported = true
        await reportBlocked()
      }
      if (waitedMs >= blockedMs) end()
    }
    if (isReported) log.warn('The event loop turns again')
  }
}

/** Waits and returns the time that counts: all of it, or 0 if this thread was late as well. */
async function lookAgain(ms: number): Promise<number> {
  const begun = performance.now()
  await sleep(ms)
  return performance.now() - begun > 3 * ms ? 0 : ms
}

async function reportBlocked(): Promise<void> {
  const stack = await stackOfMainThread()
  log.error('The event loop is blocked: no call is answered. This is where', {
    stack: stack ?? 'unknown: the main thread is inside native code, such as a regular expression',
  })
}

function end(): never {
  log.error(
    `The event loop has been blocked for ${blockedMs / 1000} s. Ending the process (SIGKILL, exit code 137), so that its supervisor restarts it`,
  )
  // Nothing gentler works: handlers of other signals, and exit handlers, run on the blocked thread.
  process.kill(process.pid, 'SIGKILL')
  throw new Error('unreachable')
}

/** The debugger answers at once, unless the main thread is in code that it cannot interrupt. */
const PAUSED_WITHIN_MS = 2_000

/**
 * Returns the stack of the main thread, which is paused for a moment and goes on. The debugger is
 * attached only now, because code runs slower under it.
 */
async function stackOfMainThread(): Promise<string | undefined> {
  const session = new Session()
  try {
    session.connectToMainThread()
    const paused = new Promise<Debugger.CallFrame[]>((resolve) => {
      session.once('Debugger.paused', ({ params }) => resolve(params.callFrames))
    })
    session.post('Debugger.enable')
    session.post('Debugger.pause')
    // The timer also keeps this thread alive while it waits: a session does not.
    const frames = await Promise.race([paused, sleep(PAUSED_WITHIN_MS, undefined)])
    session.post('Debugger.resume')
    return frames?.map(describeFrame).join('\n')
  } catch {
    return undefined // A Node without an inspector.
  } finally {
    session.disconnect()
  }
}

function describeFrame({ functionName, url, location }: Debugger.CallFrame): string {
  const { lineNumber, columnNumber = 0 } = location
  return `at ${functionName || '<anonymous>'} (${url}:${lineNumber + 1}:${columnNumber + 1})`
}

void watchForever()
