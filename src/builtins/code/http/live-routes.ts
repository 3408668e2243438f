import { type SSEMessage, type SSEStreamingApi, streamSSE } from 'hono/streaming'
import { onAbort } from '../../../base/flow/signal.ts'
import type { CodeLog } from '../log/code-log.ts'
import { StatusError } from './status-error.ts'
import { type CodeApi, needOperator, needRole } from './visit.ts'

const HEARTBEAT_MS = 5_000

export interface LiveOptions {
  readonly log: CodeLog
  /** Aborted when the API is closed, which ends the open streams. */
  readonly closing: AbortSignal
  /** Ends the process; absent if it serves more than code search. */
  readonly stop: (() => void) | undefined
}

/** Routes that stream heartbeats and log lines, and that shut the process down. */
export function liveRoutes(api: CodeApi, { log, closing, stop }: LiveOptions): void {
  api.get('/api/heartbeat', (c) =>
    streamSSE(c, async (stream) => {
      const ping = async (): Promise<void> =>
        stream.writeSSE({ event: 'ping', data: JSON.stringify({ ts: new Date().toISOString() }) })
      await ping()
      const timer = setInterval(() => void ping(), HEARTBEAT_MS)
      await untilEnd(stream, closing)
      clearInterval(timer)
    }),
  )
  api.get('/api/logs', (c) => {
    needRole(c, 'viewer')
    return streamSSE(c, async (stream) => {
      let writing = Promise.resolve()
      const write = (message: SSEMessage): void => {
        writing = writing.then(async () => stream.writeSSE(message))
      }
      for (const entry of log.recent) write({ data: JSON.stringify(entry) })
      write({ event: 'history_done', data: '{}' })
      const stopListening = log.listen((entry) => write({ data: JSON.stringify(entry) }))
      await untilEnd(stream, closing)
      stopListening()
    })
  })
  api.post('/api/shutdown', (c) => {
    needOperator(c)
    if (!stop)
      throw new StatusError(
        403,
        'This gateway serves more than code search: stop its process instead',
      )
    log.add('system', 'shutdown was asked for')
    // After the response has been sent.
    setTimeout(stop, 50)
    return c.json({ success: true, message: 'Shutting down' })
  })
}

/** Waits until the client has left or the API is closed, which may already have happened. */
async function untilEnd(stream: SSEStreamingApi, closing: AbortSignal): Promise<void> {
  if (stream.aborted) return
  await new Promise<void>((resolve) => {
    const stopListening = onAbort(closing, resolve)
    stream.onAbort(() => {
      stopListening()
      resolve()
    })
  })
}
