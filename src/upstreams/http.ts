import { GatewayError } from '../gateway/errors.ts'
import { HttpLink } from './http-link.ts'
import type { HttpWireOptions } from './http-wire.ts'
import type { Client } from '../gateway/call.ts'
import type { Signal } from '../base/signal.ts'
import type { Connect, Link, LinkEvents } from './link.ts'
import { connectSse } from './sse-link.ts'
import { TransportError } from './transport-error.ts'

export interface HttpOptions extends HttpWireOptions {
  readonly protocol: 'auto' | '2025-11-25' | '2026-07-28'
}

/** A server at a URL: the newest protocol it speaks, down to the event streams of 2024. */
export function connectHttp(options: HttpOptions): Connect {
  return async (events, owner, signal) => {
    const link = new HttpLink(options, events, owner)
    const giveUp = () => void link.close()
    signal.addEventListener('abort', giveUp)
    try {
      return await greet(link, events, owner, signal)
    } catch (error) {
      await link.close()
      throw error
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
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

/** Nobody is there, or the user must sign in first: asking in an older dialect changes nothing. */
function isFinal(error: Error): boolean {
  if (error instanceof GatewayError) return true
  return error instanceof TransportError && (error.status === undefined || error.status === 403)
}

/** Servers of 2024 have nothing at this address to post to. */
function mayBeOld(error: Error): boolean {
  return error instanceof TransportError && [400, 404, 405, 406].includes(error.status ?? 0)
}
