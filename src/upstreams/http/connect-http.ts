import { GatewayError } from '../../gateway/errors.ts'
import { HttpLink } from './http-link.ts'
import type { HttpWireOptions } from './http-wire.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { otherEra } from '../eras.ts'
import type { Connect, ConnectOptions, Era, Link, LinkEvents } from '../link.ts'
import { connectSse } from './sse-link.ts'
import { TransportError } from '../failures.ts'

export interface HttpOptions extends HttpWireOptions {
  readonly protocol: 'auto' | '2025-11-25' | '2026-07-28'
}

/** Connects to a server at a URL: in the era asked for where it speaks that, down to the event streams of 2024. */
export function connectHttp(options: HttpOptions): Connect {
  return async (events, connecting) => {
    const { owner, signal } = connecting
    const link = new HttpLink(options, events, owner)
    const giveUp = () => void link.close()
    signal.addEventListener('abort', giveUp)
    try {
      return await greet(link, events, connecting)
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
    { owner, era, signal }: ConnectOptions,
  ): Promise<Link> {
    const order = erasToTry(options.protocol, era)
    let refused: Error | undefined
    for (const tried of order) {
      const error = await attempt(
        tried === 'modern' ? link.greetModern(options.protocol !== 'auto') : link.greetLegacy(),
      )
      if (!error) return link
      // What the server says to a handshake of the old era explains more.
      if (tried === 'legacy' || !refused) refused = error
      if (tried === 'modern' ? isFinal(error) : !isRejected(error)) throw error
    }
    if (!order.includes('legacy') || !refused || !mayBeOld(refused)) throw refused
    return connectSse(options, events, owner, signal).catch((error: unknown) => {
      throw error instanceof TransportError && error.status !== undefined ? refused : error
    })
  }
}

function erasToTry(protocol: HttpOptions['protocol'], era: Era): readonly Era[] {
  if (protocol === 'auto') return [era, otherEra(era)]
  return [protocol === '2026-07-28' ? 'modern' : 'legacy']
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

/** The server answered, and will not have a handshake. */
function isRejected(error: Error): boolean {
  return error instanceof RpcError || mayBeOld(error)
}

/** Servers of 2024 do not accept POST at this address. */
function mayBeOld(error: Error): boolean {
  return error instanceof TransportError && [400, 404, 405, 406].includes(error.status ?? 0)
}
