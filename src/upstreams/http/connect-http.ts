import { GatewayError } from '../../gateway/errors.ts'
import { HttpLink } from './http-link.ts'
import type { HttpWireOptions } from './http-wire.ts'
import type { Client } from '../../gateway/call.ts'
import { Canceller, type Signal } from '../../base/signal.ts'
import { withTimeout } from '../../base/time.ts'
import type { Connect, Link, LinkEvents } from '../link.ts'
import { connectSse } from './sse-link.ts'
import { TransportError } from '../failures.ts'

export interface HttpOptions extends HttpWireOptions {
  readonly protocol: 'auto' | '2025-11-25' | '2026-07-28'
  /** Its entry says that it speaks the event streams of 2024: they are tried first. */
  readonly saysSse?: boolean
}

/** How long an event stream may take to say where messages go. A server of today may keep it silent. */
const SSE_GREETING_MS = 5_000

/** Connects to a server at a URL: with the newest protocol it supports, down to the event streams of 2024. */
export function connectHttp(options: HttpOptions): Connect {
  return async (events, owner, signal) => {
    const link = new HttpLink(options, events, owner)
    const giveUp = () => void link.close()
    signal.addEventListener('abort', giveUp)
    try {
      const old = options.saysSse ? await greetSse(events, owner, signal) : undefined
      if (!old) return await greet(link, events, owner, signal)
      await link.close()
      return old
    } catch (error) {
      await link.close()
      throw error
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** Undefined where the entry is wrong. Some servers of 2024 answer nothing that would show what they are. */
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
    owner: Client | undefined,
    signal: Signal,
  ): Promise<Link> {
    if (options.protocol !== '2025-11-25') {
      const refused = await attempt(link.greetModern())
      if (!refused) return link
      if (options.protocol === '2026-07-28' || isFinal(refused)) throw refused
    }
    const refused = await attempt(link.greetLegacy())
    if (!refused) return link
    if (!mayBeOld(refused)) throw refused
    return connectSse(options, events, owner, signal).catch((error: unknown) => {
      throw error instanceof TransportError && error.status !== undefined ? refused : error
    })
  }
}

async function attempt(greeting: Promise<void>): Promise<Error | undefined> {
  try {
    await greeting
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** The server cannot be reached, or the user must sign in first: an older protocol would not help. */
function isFinal(error: Error): boolean {
  if (error instanceof GatewayError) return true
  return error instanceof TransportError && (error.status === undefined || error.status === 403)
}

/** Servers of 2024 do not accept POST at this address. */
function mayBeOld(error: Error): boolean {
  return error instanceof TransportError && [400, 404, 405, 406].includes(error.status ?? 0)
}
