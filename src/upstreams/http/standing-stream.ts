import type { JsonObject } from '../../base/json/json.ts'
import { pause } from '../../base/flow/time.ts'
import type { Signal } from '../../base/flow/signal.ts'
import { isEventStream } from './http-exchange.ts'
import { parseMessages, parseObject } from './http-messages.ts'
import type { HttpWire } from './http-wire.ts'
import { saysSessionLost } from './session-lost.ts'

const RETRY_MS = 1000
const BUSY_RETRY_MS = 5_000
/** Each further failure in a row doubles the pause, up to this. */
const LONGEST_PAUSE_MS = 60_000
/**
 * Statuses of a server, or a proxy before it, that will answer later: our token is being renewed,
 * the server has not noticed yet that the last stream is gone, or it is away.
 */
const BUSY = [401, 409, 429, 502, 503, 504]

export interface StandingStreamOptions {
  readonly wire: HttpWire
  readonly signal: Signal
  readonly onMessage: (message: JsonObject) => void
  /** Starts a new session when the server has forgotten this one. */
  readonly renew: () => Promise<void>
}

/**
 * Reads the stream on which legacy servers send messages outside of any call, and opens it again
 * whenever it ends, after the last event that was read: until the connection closes, another session
 * begins, or the server refuses.
 */
export async function readStandingStream(options: StandingStreamOptions): Promise<void> {
  const { wire, signal, onMessage, renew } = options
  const { session } = wire
  const isCurrent = () => wire.session === session || wire.session === undefined
  let lastEventId: string | undefined
  let retryMs = RETRY_MS
  let failures = 0
  while (!signal.aborted && isCurrent()) {
    let pauseMs = retryMs
    failures++
    try {
      const response = await wire.listen(signal, lastEventId)
      if (isEventStream(response)) {
        failures = 0
        await wire.readEvents(response, (event) => {
          lastEventId = event.id ?? lastEventId
          retryMs = event.retryMs ?? retryMs
          for (const message of parseMessages(event.data)) onMessage(message)
        })
      } else {
        const { status } = response
        const answer = parseObject(await wire.readText(response))
        if (session !== undefined && saysSessionLost(status, answer)) return await renew()
        // A server that no longer has the event may still open a new stream.
        if (BUSY.includes(status)) pauseMs = BUSY_RETRY_MS
        else if (lastEventId === undefined) return
        else lastEventId = undefined
      }
    } catch {
      // Refused or cut off: the next round tries again, as long as no other session has begun.
    }
    if (failures > 1)
      pauseMs = Math.max(pauseMs, Math.min(pauseMs * 2 ** (failures - 1), LONGEST_PAUSE_MS))
    await pause(pauseMs, signal).catch(() => undefined)
  }
}
