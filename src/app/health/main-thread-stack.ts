import { type Debugger, Session } from 'node:inspector'
import { setTimeout as sleep } from 'node:timers/promises'

/** The debugger answers at once, unless the main thread is in code that it cannot interrupt. */
const PATIENCE_MS = 2_000

/**
 * Where the main thread is, asked from another thread: it is stopped for a moment, and goes on. The
 * debugger is attached only now, because code under it runs slower.
 */
export async function stackOfMainThread(): Promise<string | undefined> {
  const session = new Session()
  try {
    session.connectToMainThread()
    const paused = new Promise<Debugger.CallFrame[]>((resolve) => {
      session.once('Debugger.paused', ({ params }) => resolve(params.callFrames))
    })
    session.post('Debugger.enable')
    session.post('Debugger.pause')
    // The timer also keeps this thread alive while it waits: a session does not.
    const frames = await Promise.race([paused, sleep(PATIENCE_MS, undefined)])
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
