import type { Client } from '../../gateway/call.ts'
import { toError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { Peer, isId } from '../../protocol/peer.ts'
import { Callers } from '../connections/callers.ts'
import { ERAS } from '../../protocol/eras/eras.ts'
import { type HttpWireOptions, USER_AGENT } from './http-wire.ts'
import type { SseEvent } from '../../protocol/framing/sse.ts'
import { type Headers, exchange, isEventStream, readEvents, readText } from './http-exchange.ts'
import { parseObject, toTransportError } from './http-messages.ts'
import { type LinkContext, type LinkEvents, SessionLost } from '../link.ts'
import { type PingLink, Session, doubted, wasRefused } from './session.ts'
import { progressTo } from '../progress-to.ts'
import { TransportError } from '../failures.ts'
import { Canceller, type Signal } from '../../base/flow/signal.ts'

/** Connects over the SSE transport of 2024: one long stream to receive, a POST to send. */
export async function connectSse(
  options: HttpWireOptions,
  events: LinkEvents,
  owner: Client | undefined,
  signal: Signal,
): Promise<PingLink> {
  const closing = new Canceller()
  const giveUp = () => closing.abort(signal.reason)
  signal.addEventListener('abort', giveUp)
  try {
    return await open(options, events, owner, closing)
  } catch (error) {
    // Otherwise its stream would stay open for ever.
    closing.abort(error)
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

async function open(
  options: HttpWireOptions,
  events: LinkEvents,
  owner: Client | undefined,
  closing: Canceller,
): Promise<PingLink> {
  // Built for every message: a token is renewed while the stream stays open.
  const authorised = async (more: Headers): Promise<Headers> => {
    const authorization = await options.credentials?.header()
    return {
      'user-agent': USER_AGENT,
      ...options.headers,
      ...(authorization !== undefined && { authorization }),
      ...more,
    }
  }
  const response = await exchange({
    method: 'GET',
    url: options.url,
    headers: await authorised({ accept: 'text/event-stream' }),
    signal: closing.signal,
  })
  if (!isEventStream(response)) {
    response.discard()
    const { status } = response
    throw new TransportError(`it answered HTTP ${status} to a request for an event stream`, {
      status,
    })
  }

  let endpoint: URL | undefined
  const callers = new Callers(owner)
  const peer = new Peer((body) => void post(body), {
    request: async (method, params, { canceller: signal }) =>
      events.request(method, params, {
        signal,
        origin: async () => callers.clientFor(method, signal),
      }),
    notification: (method, params) => events.notification(method, params, callers.origin),
    invalid: (text) => events.log(text),
  })
  async function post(body: string): Promise<void> {
    if (!endpoint) return
    try {
      const headers = await authorised({ 'content-type': 'application/json' })
      const answer = await exchange({ method: 'POST', url: endpoint, headers, body })
      if (answer.status < 400) return answer.discard()
      throw toTransportError(answer, await readText(answer, options.maxFrameBytes), (text) =>
        options.hide(text),
      )
    } catch (error) {
      // Only this message is lost: others may arrive, and the stream shows whether the server is up.
      const { id, method } = parseObject(body) ?? {}
      if (method !== undefined && isId(id)) peer.fail(id, toError(error))
    }
  }

  let locate: (() => void) | undefined
  const located = new Promise<void>((resolve) => (locate = resolve))
  const onEvent = ({ event, data }: SseEvent) => {
    if (event !== 'endpoint') return peer.receive(data)
    const target = URL.canParse(data, options.url.href) ? new URL(data, options.url) : undefined
    if (target?.origin === options.url.origin) endpoint = target
    locate?.()
  }
  const reading = readEvents(response, onEvent, options.maxFrameBytes)
  const ended = () => {
    const error = new TransportError('its event stream ended')
    peer.close(error)
    return error
  }
  const gone: Promise<Error> = reading.then(ended, ended)
  await Promise.race([located, reading])
  if (!endpoint) throw new TransportError('it named no address of its own to post to')
  const ask = async (method: string, params: JsonObject) => peer.request(method, params)
  const greeting = await ERAS.legacy.greet(ask, { owner })
  peer.notify('notifications/initialized', {})
  let lost: ((reason: Error) => void) | undefined
  const forgotten = new Promise<Error>((resolve) => (lost = resolve))
  const ping = async (within: Signal) =>
    peer.request('ping', {}, { signal: within }).catch((error: unknown) => {
      const status = refusalOf(error)
      throw status === undefined ? error : doubted({ status }, toError(error))
    })
  const session = new Session({
    closing,
    ping,
    openOther: async (within) => connectSse(options, events, owner, within),
    lost(successor) {
      lost?.(new SessionLost({ mayRepeat: true, successor }))
      closing.abort()
    },
  })
  async function request(method: string, params: JsonObject, { client, signal }: LinkContext) {
    try {
      return await peer.request(method, params, { signal, onProgress: progressTo(client, params) })
    } catch (error) {
      const status = refusalOf(error)
      if (status === undefined || !(await session.isGoneAfter({ status }, signal))) throw error
      const mayRepeat = method !== 'tools/call' || wasRefused({ status })
      throw new SessionLost({ mayRepeat, cause: toError(error) })
    }
  }
  return {
    ...greeting,
    canAsk: true,
    gone: Promise.race([forgotten, gone]),
    ping,
    request: async (method: string, params: JsonObject, context: LinkContext) =>
      callers.during(context.client, async () => request(method, params, context)),
    notify: (method, params) => peer.notify(method, params),
    close: async () => closing.abort(),
  }
}

/** The status with which a message was refused; the stream itself has none. */
function refusalOf(error: unknown): number | undefined {
  return error instanceof TransportError ? error.status : undefined
}
