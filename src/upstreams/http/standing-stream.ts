import type { JsonObject } from '../../base/json/json.ts'
import { pause } from '../../base/flow/time.ts'
import type { Signal } from '../../base/flow/signal.ts'
import { MIN_RETRY_MS } from './follow-events.ts'
import { isEventStream } from './http-exchange.ts'
import { parseMessages } from './http-messages.ts'
import type { HttpWire } from './http-wire.ts'

const RETRY_MS = 1000
/** A stream that ends sooner counts as a failure. */
const SHORT_LIFE_MS = 1000
const BUSY_RETRY_MS = 5_000
/** Each further failure in a row doubles the pause, up to this. */
const MAX_PAUSE_MS = 60_000
/**
 * Statuses of a server, or a proxy before it, that will answer later: our token is being renewed,
 * the server has not noticed yet that the last stream is gone, or it is away.
 */
const BUSY = [401, 409, 429, 502, 503, 504]

export interface StandingStreamOptions {
  readonly wire: HttpWire
  readonly signal: Signal
  readonly onMessage: (message: JsonObject) => void
  /** Finds out whether the server has forgotten the session; if so, the signal aborts. */
  readonly doubtSession: () => Promise<unknown>
}

/**
 * Reads the stream on which legacy servers send messages outside of any call, and opens it again
 * whenever it ends, after the last event that was read: until the connection closes, or the server
 * refuses. That a server has no such stream says nothing about the session.
 */
export async function readStandingStream(options: StandingStreamOptions): Promise<void> {
  const { wire, signal, onMessage, doubtSession } = options
  let lastEventId: string | undefined
  let retryMs = RETRY_MS
  let failures = 0
  let wasOpen = false
  while (!signal.aborted) {
    let pauseMs = retryMs
    failures++
    try {
      const response = await wire.listen(signal, lastEventId)
      if (isEventStream(response)) {
        wasOpen = true
        const openedAt = performance.now()
        await wire.readEvents(response, (event) => {
          lastEventId = event.id ?? lastEventId
          retryMs = Math.max(MIN_RETRY_MS, event.retryMs ?? retryMs)
          for (const message of parseMessages(event.data)) onMessage(message)
        })
        if (performance.now() - openedAt >= SHORT_LIFE_MS) failures = 0
      } else {
        const { status } = response
        response.discard()
        // A server that no longer has the event may still open a new stream.
        if (BUSY.includes(status)) pauseMs = BUSY_RETRY_MS
        else if (lastEventId !== undefined) lastEventId = undefined
        else if (wasOpen && status !== 405) await doubtSession()
        else return
      }
    } catch {
      // Refused or cut off: the next round tries again.
    }
    if (failures > 1)
      pauseMs = Math.max(pauseMs, Math.min(pauseMs * 2 ** (failures - 1), MAX_PAUSE_MS))
    await pause(pauseMs, signal).catch(() => undefined)
  }
}
