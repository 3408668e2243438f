import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { Browser, type Page } from './browser.ts'

export const CALLBACK = 'http://127.0.0.1:9/callback'

/** The person's actions in the browser; resolves to the last page or redirect. */
export type Person = (browser: Browser, first: Page) => Promise<Page>

/** Signs in with a key and consents to these effects. */
export function withKey(
  key: string,
  effects: readonly string[] = ['read', 'write', 'delete'],
): Person {
  return async (browser, first) => {
    const second = first.text.includes('name="key"')
      ? await browser.submit(first, { action: 'key', key })
      : first
    return browser.submit(second, { action: 'allow', effect: effects })
  }
}

/** The official SDK's client with its own sign-in: it only gets the address. */
export class SigningClient implements OAuthClientProvider {
  readonly redirectUrl: string
  readonly browser = new Browser()
  readonly #url: string
  readonly #person: Person
  #information: OAuthClientInformationMixed | undefined
  #verifier = ''
  held: OAuthTokens | undefined
  answer: URL | undefined
  signIns = 0

  constructor(url: string, person: Person, callback = CALLBACK) {
    this.#url = url
    this.#person = person
    this.redirectUrl = callback
  }

  get clientMetadata() {
    return {
      client_name: 'Harbour Editor',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  }

  clientInformation() {
    return this.#information
  }
  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.#information = information
  }
  tokens() {
    return this.held
  }
  saveTokens(tokens: OAuthTokens): void {
    this.held = tokens
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }
  codeVerifier(): string {
    return this.#verifier
  }
  async redirectToAuthorization(address: URL): Promise<void> {
    this.signIns += 1
    const first = await this.browser.open(address.href, this.#url)
    const last = await this.#person(this.browser, first)
    if (last.status !== 0) throw new Error(`The browser ends at ${last.url.href}:\n${last.text}`)
    this.answer = last.url
  }

  /** Connects, and signs in if that is required. */
  async connect(era: 'legacy' | 'modern' = 'legacy'): Promise<Client> {
    const open = async () => {
      const transport = new StreamableHTTPClientTransport(new URL(this.#url), {
        authProvider: this,
      })
      const client = new Client(
        { name: 'harbour-editor', version: '1' },
        { versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } } },
      )
      return { transport, client, connecting: client.connect(transport) }
    }
    const first = await open()
    try {
      await first.connecting
      return first.client
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error
      await first.transport.finishAuth(this.answer?.searchParams ?? new URLSearchParams())
      const second = await open()
      await second.connecting
      return second.client
    }
  }
}
