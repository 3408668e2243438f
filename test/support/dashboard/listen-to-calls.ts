import http from 'node:http'
import { onTestFinished } from 'vitest'
import type { Call, LiveEvents } from '../../../src/dashboard/contract/calls.ts'
import { SseParser } from '../../../src/protocol/framing/sse.ts'

export interface Listening {
  readonly events: { readonly data: LiveEvents['calls']; readonly id: string | undefined }[]
  /** Returns all calls received so far, newest last. */
  calls(): Call[]
  close(): void
}

/** Reads the stream of live calls over a real socket. */
export async function listenToCalls(
  url: string,
  headers: Record<string, string> = {},
): Promise<Listening> {
  const events: Listening['events'] = []
  const request = http.get(`${url}/api/dashboard/calls/stream`, { headers })
  onTestFinished(() => void request.destroy())
  request.on('error', () => undefined)
  await new Promise<void>((resolve, reject) => {
    request.once('error', reject)
    request.once('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`HTTP ${response.statusCode}`))
      const parser = new SseParser(({ event, data, id }) => {
        if (event === 'calls') events.push({ data: JSON.parse(data), id })
        resolve()
      })
      response.on('data', (chunk: Buffer) => parser.push(chunk))
    })
  })
  return {
    events,
    calls: () => events.flatMap(({ data }) => data.calls.toReversed()),
    close: () => void request.destroy(),
  }
}
