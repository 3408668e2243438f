import type { EraName, Greeting } from '../protocol/eras/eras.ts'
import type { Client } from '../gateway/call.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Signal } from '../base/flow/signal.ts'

/** One live connection to a server, after its handshake. */
export interface Link extends Greeting {
  /** Whether the server can reach the client during a call: not over HTTP without a session. */
  readonly canAsk: boolean
  request(method: string, params: JsonObject, context: LinkContext): Promise<JsonObject>
  notify(method: string, params: JsonObject): void
  /** Settles with the reason when the connection is lost. */
  readonly gone: Promise<Error>
  close(): Promise<void>
}

interface SessionLostDetails {
  /** Whether a request may be sent again: it was not carried out, or may be carried out twice. */
  readonly mayRepeat: boolean
  /** A connection with a new session, if one is open already. */
  readonly successor?: Link | undefined
  /** The error with which the server answered. */
  readonly cause?: Error | undefined
}

/** The server does not know the session of a connection any more, as after a restart. */
export class SessionLost extends Error {
  readonly details: SessionLostDetails

  constructor(details: SessionLostDetails) {
    const { cause } = details
    super(`it has forgotten our session${cause ? `: ${cause.message}` : ''}`, { cause })
    this.details = details
  }
}

/** Sends a request; once more if the server had forgotten the session and did nothing of it. */
export const inSession = <T>(send: () => Promise<T>): Promise<T> =>
  send().catch((error: unknown) => {
    if (error instanceof SessionLost && error.details.mayRepeat) return send()
    throw error
  })

export interface LinkContext {
  readonly signal?: Signal | undefined
  /** The calling client, if any: it gets progress, log lines and questions of the server. */
  readonly client?: Client | undefined
  /** Headers that mirror arguments (`Mcp-Param-*`); only HTTP uses them. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Messages that a server sends by itself; `origin` is the client that they belong to, if known. */
export interface LinkEvents {
  request(
    method: string,
    params: JsonObject,
    context: {
      readonly signal: Signal
      readonly origin: () => Promise<Client | undefined>
    },
  ): Promise<JsonObject>
  notification(method: string, params: JsonObject, origin: Client | undefined): void
  /**
   * A line of diagnostics: stderr of a child, or noise where a message was expected. `advice` is what
   * a person can do about it.
   */
  log(line: string, advice?: string): void
}

export interface ConnectOptions {
  /** The client that it is opened for; undefined for no client in particular. */
  readonly owner: Client | undefined
  /** The era to try first. A server that does not speak it is connected to in the other one. */
  readonly era: EraName
  readonly signal: Signal
}

/**
 * Opens a connection. When `signal` aborts before it is open, what was started is stopped too: a
 * server that hangs must not leave a process behind.
 */
export type Connect = (events: LinkEvents, options: ConnectOptions) => Promise<Link>
