import { type JsonObject, isObject } from '../../base/json/json.ts'
import { Canceller, type Signal, onAbort } from '../../base/flow/signal.ts'
import { untilAborted, withTimeout } from '../../base/flow/time.ts'
import { TransportError } from '../failures.ts'

/** How long a server may take to begin a new session in place of one that it has forgotten. */
const RENEW_MS = 30_000

/** The server has forgotten the session, as after a restart: nothing of the call was done. */
export class SessionLost extends Error {
  constructor() {
    super('it has forgotten our session')
  }
}

/** Whether the answer to a request with a session says that the server does not know it. */
export function saysSessionLost(
  status: number | undefined,
  message: JsonObject | undefined,
): boolean {
  if (status === 404) return true
  const error = message?.['error']
  return status === 400 && isObject(error) && /session/i.test(String(error['message']))
}

/** Begins a new session, which all later calls wait for; fails if that takes too long. */
export async function greetInTime(
  greet: (signal: Signal) => Promise<void>,
  closing: Signal,
): Promise<void> {
  const canceller = new Canceller()
  const release = onAbort(closing, () => canceller.abort(closing.reason))
  await withTimeout(greet(canceller), RENEW_MS, () => {
    const late = new TransportError(`it did not answer the handshake within ${RENEW_MS} ms`)
    canceller.abort(late)
    throw late
  }).finally(release)
}

/** Waits for a new session on behalf of a call, until the call is cancelled. */
export async function unlessAborted(work: Promise<void>, signal: Signal | undefined) {
  await (signal ? untilAborted(work, signal) : work)
}
