import { type Soon, after } from '../../base/flow/soon.ts'
import type { Signal } from '../../base/flow/signal.ts'
import { VERSION } from '../../base/version.ts'
import { ERAS, type EraName } from '../../protocol/eras/eras.ts'
import type { SseEvent } from '../../protocol/framing/sse.ts'
import { ENCODINGS } from './create-decoder.ts'
import { type Headers, exchange, readEvents, readText } from './http-exchange.ts'
import type { HttpResponse } from './http-response.ts'

/** Provides the `Authorization` header of a server, and is called when the server rejects it. */
export interface Credentials {
  header(): Soon<string | undefined>
  /** Resolves when a new attempt can succeed; throws with what the user must do otherwise. */
  refused(refusal: Refusal): Promise<void>
}

/** How a server refused a request. */
interface Refusal {
  readonly status: number
  /** `WWW-Authenticate`. */
  readonly challenge: string | undefined
  /** The `Authorization` header that it refused. */
  readonly sent: string | undefined
  /** Whether it has just refused renewed credentials too. */
  readonly again: boolean
}

export interface HttpWireOptions {
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Headers
  readonly credentials: Credentials | undefined
  /** The most bytes of one message of the server. */
  readonly maxFrameBytes?: number
  /** Removes secrets from a server's error text, which may repeat what we sent. */
  readonly hide: (text: string) => string
}

/** The options of one message besides its text. */
export interface MessageOptions {
  readonly era: EraName
  readonly headers?: Headers | undefined
  readonly signal?: Signal | undefined
  /** True by default; see `Exchange`. */
  readonly repeatable?: boolean
  /** Whether a refusal of this status came because the server has forgotten the session. */
  readonly isSessionGone?: (status: number) => Promise<boolean>
}

const END_SESSION_MS = 2000
export const USER_AGENT = `portolan/${VERSION}`

/** Sends messages to one server: its address, our credentials, and the current session. */
export class HttpWire {
  readonly #options: HttpWireOptions
  #session: string | undefined
  #version: string | undefined
  /** The headers of every message, by era; built once, because that is most of a request's work. */
  #standing: Partial<Record<EraName, Headers>> = {}

  constructor(options: HttpWireOptions) {
    this.#options = options
  }

  get session(): string | undefined {
    return this.#session
  }

  /** Sets the session that further messages belong to, or none. */
  enter(session: string | undefined): void {
    this.#session = session
    this.#standing = {}
  }

  /** Sets the legacy version that was agreed on. */
  speak(version: string): void {
    this.#version = version
    this.#standing = {}
  }

  async post(body: string, sending: MessageOptions): Promise<HttpResponse> {
    const headers = await this.#headers(sending.era, sending.headers)
    return this.#send(body, headers, sending)
  }

  /** Like `post`, but after a refusal it gets new credentials and sends the message again. */
  async postAuthorised(body: string, sending: MessageOptions): Promise<HttpResponse> {
    const { credentials } = this.#options
    for (let again = false; ; again = true) {
      const found = this.#headers(sending.era, sending.headers)
      const headers = found instanceof Promise ? await found : found
      const response = await this.#send(body, headers, sending)
      if (!credentials || !isRefused(response)) return response
      // Some servers refuse a session that they have forgotten like a missing sign-in.
      const isBare = response.headers['www-authenticate'] === undefined
      const mayBeSession = isBare && headers['authorization'] === undefined
      if (mayBeSession && (await sending.isSessionGone?.(response.status))) return response
      response.discard()
      await credentials.refused({
        status: response.status,
        challenge: response.headers['www-authenticate'],
        sent: headers['authorization'],
        again,
      })
    }
  }

  #send(body: string, headers: Headers, sending: MessageOptions): Promise<HttpResponse> {
    const { signal, repeatable = true } = sending
    const { url } = this.#options
    return exchange({ method: 'POST', url, headers, body, signal, repeatable })
  }

  /**
   * Opens the stream on which legacy servers send messages outside of any call; with an event id,
   * the rest of the stream after that event.
   */
  async listen(signal: Signal, lastEventId?: string): Promise<HttpResponse> {
    const headers = await this.#headers('legacy', {
      accept: 'text/event-stream',
      // Some servers hold back what they compress.
      'accept-encoding': 'identity',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    })
    return exchange({ method: 'GET', url: this.#options.url, headers, signal })
  }

  /** Reads an answer that is one message. */
  async readText(response: HttpResponse): Promise<string> {
    return readText(response, this.#options.maxFrameBytes)
  }

  /** Reads an answer that is a stream of messages. */
  async readEvents(response: HttpResponse, onEvent: (event: SseEvent) => void): Promise<void> {
    return readEvents(response, onEvent, this.#options.maxFrameBytes)
  }

  /** Ends the session on the server, if it can be reached. */
  async leave(): Promise<void> {
    if (this.#session === undefined) return
    const signal = AbortSignal.timeout(END_SESSION_MS)
    try {
      const headers = await this.#headers('legacy', undefined)
      const { url } = this.#options
      const response = await exchange({ method: 'DELETE', url, headers, signal })
      response.discard()
    } catch {
      // The server drops the session by itself after a while.
    }
  }

  #headers(era: EraName, more: Headers | undefined): Soon<Headers> {
    const standing = (this.#standing[era] ??= this.#standingOf(era))
    return after(this.#options.credentials?.header(), (authorization) =>
      authorization === undefined
        ? { ...standing, ...more }
        : { ...standing, authorization, ...more },
    )
  }

  #standingOf(era: EraName): Headers {
    const version = ERAS[era].version ?? this.#version
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'accept-encoding': ENCODINGS,
      'user-agent': USER_AGENT,
      ...this.#options.headers,
      ...(version !== undefined && { 'mcp-protocol-version': version }),
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
    }
  }
}

/** Whether other credentials could help: 403 alone says that they are valid but not sufficient. */
function isRefused({ status, headers }: HttpResponse): boolean {
  if (status === 401) return true
  return status === 403 && /insufficient_scope/.test(headers['www-authenticate'] ?? '')
}
