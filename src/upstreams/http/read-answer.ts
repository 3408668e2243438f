import type { JsonObject } from '../../base/json/json.ts'
import type { Signal } from '../../base/flow/signal.ts'
import type { SseEvent } from '../../protocol/framing/sse.ts'
import { followEvents } from './follow-events.ts'
import { parseMessages } from './http-messages.ts'
import type { HttpResponse } from './http-response.ts'
import type { HttpWire } from './http-wire.ts'

export interface ReadAnswerOptions {
  readonly wire: Pick<HttpWire, 'readEvents' | 'listen'>
  readonly signal: Signal
  /** Returns the result if the message is the answer, and throws its error. */
  readonly settle: (message: JsonObject) => JsonObject | undefined
  readonly onOther: (message: JsonObject) => void
  /** For a text that is no message. */
  readonly log: (text: string) => void
}

/** Reads the answer to a request from a stream of messages. */
export async function readAnswer(
  response: HttpResponse,
  { wire, signal, settle, onOther, log }: ReadAnswerOptions,
): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    let answered = false
    const onMessage = (message: JsonObject) => {
      try {
        const result = settle(message)
        if (result === undefined) return onOther(message)
        resolve(result)
      } catch (error) {
        reject(error)
      }
      answered = true
    }
    const onEvent = ({ data }: SseEvent) => {
      let messages: JsonObject[]
      try {
        messages = parseMessages(data)
      } catch (error) {
        // Too large to be read, so it is probably the answer.
        answered = true
        return reject(error)
      }
      if (messages.length === 0) log(data)
      for (const message of messages) onMessage(message)
    }
    followEvents(response, {
      read: async (...args) => wire.readEvents(...args),
      onEvent,
      isDone: () => answered,
      signal,
      resume: async (lastEventId) => wire.listen(signal, lastEventId),
    }).catch(reject)
  })
}
