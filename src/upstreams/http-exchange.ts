import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { type SseEvent, SseParser } from '../protocol/sse.ts'
import { TransportError } from './transport-error.ts'
import type { Signal } from '../protocol/signal.ts'

export interface Exchange {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: Signal
  /** Whether it may reach the server twice: a socket that dies does not tell what was done before. */
  readonly repeatable?: boolean
}

const AGENTS = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: 256 }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: 256 }),
}

/** Sends one request; where it may be repeated, a kept socket that dies before any answer is replaced once. */
export async function exchange(request: Exchange): Promise<IncomingMessage> {
  return send(request, request.repeatable === true)
}

async function send(request: Exchange, mayRetry: boolean): Promise<IncomingMessage> {
  const { url, method, body, signal } = request
  const secure = url.protocol === 'https:'
  return new Promise((resolve, reject) => {
    const outgoing = (secure ? https : http).request(url, {
      method,
      agent: AGENTS[secure ? 'https:' : 'http:'],
      headers: {
        ...request.headers,
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
    })
    const abort = () => outgoing.destroy()
    outgoing.once('response', (response) => {
      response.once('close', () => signal?.removeEventListener('abort', abort))
      resolve(response)
    })
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      signal?.removeEventListener('abort', abort)
      if (signal?.aborted) return reject(signal.reason)
      if (mayRetry && outgoing.reusedSocket && error.code === 'ECONNRESET')
        return resolve(send(request, false))
      reject(
        new TransportError(`${url.host} cannot be reached: ${error.message}`, { cause: error }),
      )
    })
    signal?.addEventListener('abort', abort, { once: true })
    outgoing.end(body)
  })
}

/** The whole body as text; an answer cut short is an error, not a short answer. */
export async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  return new Promise((resolve, reject) => {
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    response.once('close', () => {
      if (!response.complete) reject(new TransportError('its answer was cut off'))
    })
    response.once('error', reject)
  })
}

/** Hands on every event; resolves when the stream has ended, however it did. */
export async function readEvents(
  response: IncomingMessage,
  onEvent: (event: SseEvent) => void,
): Promise<void> {
  const parser = new SseParser(onEvent)
  return new Promise((resolve) => {
    response.on('data', (chunk: Buffer) => parser.push(chunk))
    response.once('end', resolve)
    response.once('close', resolve)
    response.once('error', () => resolve())
  })
}

export function isEventStream(response: IncomingMessage): boolean {
  return response.headers['content-type']?.startsWith('text/event-stream') ?? false
}
