import { GatewayError } from '../../gateway/errors.ts'
import { HttpLink } from './http-link.ts'
import type { HttpWireOptions } from './http-wire.ts'
import type { Client } from '../../gateway/call.ts'
import { toError } from '../../base/errors.ts'
import { Canceller, type Signal } from '../../base/flow/signal.ts'
import { withTimeout } from '../../base/flow/time.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { ERAS, type EraName } from '../../protocol/eras/eras.ts'
import { otherEra } from '../spoken-eras.ts'
import type { Connect, ConnectOptions, Link, LinkEvents } from '../link.ts'
import { connectSse } from './sse-link.ts'
import { TransportError } from '../failures.ts'

export interface HttpOptions extends HttpWireOptions {
  readonly protocol: 'auto' | '2025-11-25' | '2026-07-28'
  /** Whether its entry names the SSE transport of 2024, which is then tried first. */
  readonly saysSse?: boolean
}

/** How long an event stream may take to name its endpoint. A newer server may keep it silent. */
const SSE_GREETING_MS = 5_000

/**
 * Connects to a server at a URL: in the requested era if it speaks that, else in the other one, or
 * over the SSE transport of 2024.
 */
export function connectHttp(options: HttpOptions): Connect {
  return async (events, connecting) => {
    const { owner, signal } = connecting
    const link = new HttpLink(options, events, owner)
    const giveUp = () => void link.close()
    signal.addEventListener('abort', giveUp)
    try {
      const old = options.saysSse ? await greetSse(events, owner, signal) : undefined
      if (!old) return await greet(link, events, connecting)
      await link.close()
      return old
    } catch (error) {
      await link.close()
      throw error
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  /**
   * Returns undefined if the entry is wrong. The transport of 2024 is tried first, because the
   * answers of some of its servers do not show what they are.
   */
  async function greetSse(
    events: LinkEvents,
    owner: Client | undefined,
    signal: Signal,
  ): Promise<Link | undefined> {
    const late = new Canceller()
    const stop = () => late.abort(signal.reason)
    signal.addEventListener('abort', stop)
    const greeting = connectSse(options, events, owner, late)
    return withTimeout(greeting, SSE_GREETING_MS, () => {
      late.abort(new TransportError('its event stream says nothing'))
      return undefined
    })
      .catch((error: unknown) => {
        if (error instanceof TransportError && error.status !== undefined) return undefined
        throw error
      })
      .finally(() => signal.removeEventListener('abort', stop))
  }

  async function greet(
    link: HttpLink,
    events: LinkEvents,
    { owner, era, signal }: ConnectOptions,
  ): Promise<Link> {
    const order = erasToTry(options.protocol, era)
    let refused: Error | undefined
    for (const tried of order) {
      const isConfigured = options.protocol !== 'auto'
      const error = await attempt(link.greet(tried, { isConfigured }))
      if (!error) return link
      const { hasSession } = ERAS[tried]
      // The answer to a handshake explains more.
      if (hasSession || !refused) refused = error
      if (hasSession ? !isRejected(error) : isFinal(error)) throw error
    }
    if (!order.includes('legacy') || !refused || !mayBeOld(refused)) throw refused
    return connectSse(options, events, owner, signal).catch((error: unknown) => {
      throw error instanceof TransportError && error.status !== undefined ? refused : error
    })
  }
}

function erasToTry(protocol: HttpOptions['protocol'], era: EraName): readonly EraName[] {
  if (protocol === 'auto') return [era, otherEra(era)]
  return [protocol === '2026-07-28' ? 'modern' : 'legacy']
}

async function attempt(greeting: Promise<void>): Promise<Error | undefined> {
  try {
    await greeting
    return undefined
  } catch (error) {
    return toError(error)
  }
}

/** Whether the server is unreachable or wants a sign-in: an older protocol would not help. */
function isFinal(error: Error): boolean {
  if (error instanceof GatewayError) return true
  return error instanceof TransportError && (error.status === undefined || error.status === 403)
}

/** Whether the server answered and rejected the handshake. */
function isRejected(error: Error): boolean {
  return error instanceof RpcError || mayBeOld(error)
}

/** Whether the server may be one of 2024, which accepts no POST at this address. */
function mayBeOld(error: Error): boolean {
  return error instanceof TransportError && [400, 404, 405, 406].includes(error.status ?? 0)
}
