import { GatewayError } from '../../gateway/errors.ts'
import { HttpLink } from './http-link.ts'
import type { HttpWireOptions } from './http-wire.ts'
import type { Client } from '../../gateway/call.ts'
import type { Signal } from '../../base/signal.ts'
import type { Connect, Link, LinkEvents } from '../link.ts'
import { connectSse } from './sse-link.ts'
import { TransportError } from '../failures.ts'

export interface HttpOptions extends HttpWireOptions {
  readonly protocol: 'auto' | '2025-11-25' | '2026-07-28'
}

/** Connects to a server at a URL: with the newest protocol it supports, down to the event streams of 2024. */
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

/** The server cannot be reached, or the user must sign in first: an older protocol would not help. */
function isFinal(error: Error): boolean {
  if (error instanceof GatewayError) return true
  return error instanceof TransportError && (error.status === undefined || error.status === 403)
}

/** Servers of 2024 do not accept POST at this address. */
function mayBeOld(error: Error): boolean {
  return error instanceof TransportError && [400, 404, 405, 406].includes(error.status ?? 0)
}
