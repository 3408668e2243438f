import type { Signal } from '../../base/flow/signal.ts'
import { pause } from '../../base/flow/time.ts'
import type { SseEvent } from '../../protocol/framing/sse.ts'
import { TransportError } from '../failures.ts'
import { isEventStream } from './http-exchange.ts'
import type { HttpResponse } from './http-response.ts'

const RETRY_MS = 1000
/** The shortest pause that a server may ask for, so that it cannot have us ask without end. */
export const MIN_RETRY_MS = 100
const UNANSWERED = 'its answer stream ended without an answer'

export interface EventReader {
  /** Reads one stream to its end. */
  readonly read: (stream: HttpResponse, onEvent: (event: SseEvent) => void) => Promise<void>
  readonly onEvent: (event: SseEvent) => void
  /** Whether no more events are expected. */
  readonly isDone: () => boolean
  /** Ends a pause, which a server may make very long. */
  readonly signal: Signal
  /** Requests the events after the given one. */
  readonly resume: (lastEventId: string) => Promise<HttpResponse>
}

/**
 * Reads an answer stream. A server of 2025-11-25 may end it early, so that no connection stays open
 * during a long call; if its events have ids, the rest is fetched after the pause it asks for. Fails
 * if there is no rest and more events are expected.
 */
export async function followEvents(
  first: HttpResponse,
  { read, onEvent, isDone, signal, resume }: EventReader,
): Promise<void> {
  let lastEventId: string | undefined
  let retryMs = RETRY_MS
  let stream = first
  for (;;) {
    await read(stream, (event) => {
      lastEventId = event.id ?? lastEventId
      retryMs = Math.max(MIN_RETRY_MS, event.retryMs ?? retryMs)
      // The first event of a stream may have an id and no data.
      if (event.data !== '') onEvent(event)
    })
    if (isDone()) return
    if (lastEventId === undefined) throw new TransportError(UNANSWERED)
    await pause(retryMs, signal)
    stream = await resume(lastEventId)
    if (isEventStream(stream)) continue
    stream.discard()
    throw new TransportError(UNANSWERED)
  }
}
