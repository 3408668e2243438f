import { parseObject } from '../../../base/json/json.ts'
import type { ApiAuth } from '../load/api-config.ts'
import type { HttpClient } from '../http/http-client.ts'
import { HttpFailure } from '../http/http-failure.ts'
import type { SecurityScheme } from '../spec/operation.ts'
import { SpecError } from '../spec/spec-error.ts'

export interface Credentials {
  /** Adds the credentials, by one of the schemes of the operation; they are sent nowhere else. */
  apply(request: OutgoingRequest, schemes: readonly string[]): Promise<void>
  /** After a 401: drops credentials that can be fetched again. True when a retry makes sense. */
  renew(): boolean
  readonly secrets: readonly string[]
  /** Whether calls send other credentials after a renewal. */
  readonly renewable?: boolean
}

interface OutgoingRequest {
  readonly url: URL
  readonly headers: Record<string, string>
}

const NONE: Credentials = { apply: async () => {}, renew: () => false, secrets: [] }

interface TokenSource {
  readonly client: Pick<HttpClient, 'allows' | 'send'>
  /** The base of a relative token URL in the description. */
  readonly base: URL
}

/** Creates the credentials; by default, a secret is sent as the description declares. */
export function createCredentials(
  auth: ApiAuth | undefined,
  schemes: Readonly<Record<string, SecurityScheme>>,
  { client, base }: TokenSource,
): Credentials {
  if (!auth) return NONE
  if (auth.type === 'bearer') return header(`Bearer ${auth.token}`, [auth.token])
  if (auth.type === 'basic') {
    const pair = Buffer.from(`${auth.username}:${auth.password}`).toString('base64')
    return header(`Basic ${pair}`, [pair, auth.password].filter(Boolean))
  }
  return auth.type === 'apiKey'
    ? apiKey(auth, schemes)
    : clientCredentials(auth, schemes, { client, base })
}

function header(value: string, secrets: readonly string[]): Credentials {
  return {
    ...NONE,
    secrets,
    async apply({ headers }) {
      headers['authorization'] = value
    },
  }
}

function apiKey(
  auth: ApiAuth & { type: 'apiKey' },
  schemes: Readonly<Record<string, SecurityScheme>>,
): Credentials {
  const placeFor = (wanted: readonly string[]) => {
    const declared = [...wanted.map((each) => schemes[each]), ...Object.values(schemes)].find(
      (scheme) => scheme?.type === 'apiKey',
    )
    return { place: auth.in ?? declared?.in ?? 'header', name: auth.name ?? declared?.name ?? '' }
  }
  if (!placeFor([]).name) {
    throw new SpecError('The API key has no name.', 'Set auth.name, such as "X-Api-Key".')
  }
  return {
    ...NONE,
    secrets: [auth.value],
    async apply({ url, headers }, wanted) {
      const { place, name } = placeFor(wanted)
      if (place === 'query') url.search = withKey(url.search, name, auth.value)
      else if (place === 'header') headers[name.toLowerCase()] = auth.value
      else
        headers['cookie'] = [headers['cookie'], `${name}=${auth.value}`].filter(Boolean).join('; ')
    },
  }
}

/** Adds the key to the text, because `searchParams` would re-encode the whole query. */
function withKey(search: string, name: string, value: string): string {
  const key = encodeURIComponent(name)
  const others = search
    .slice(1)
    .split('&')
    .filter((pair) => pair && pair.split('=')[0] !== key)
  return [...others, `${key}=${encodeURIComponent(value)}`].join('&')
}

function clientCredentials(
  auth: ApiAuth & { type: 'oauth2' },
  schemes: Readonly<Record<string, SecurityScheme>>,
  { client, base }: TokenSource,
): Credentials {
  const declared = Object.values(schemes).flatMap((scheme) =>
    scheme.type === 'oauth2' && scheme.tokenUrl !== undefined ? [scheme.tokenUrl] : [],
  )
  const wanted = auth.tokenUrl ?? declared[0]
  if (wanted === undefined || !URL.canParse(wanted, base.href)) {
    throw new SpecError('OAuth2 has no token URL.', 'Set auth.tokenUrl.')
  }
  const tokenUrl = new URL(wanted, base)
  if (!client.allows(tokenUrl)) {
    throw new SpecError(
      `The description fetches its tokens from ${tokenUrl.origin}, which is not the host of the API.`,
      `Set auth.tokenUrl to ${tokenUrl.href} if the client secret may be sent there.`,
    )
  }
  const secrets = [auth.clientSecret]
  const remember = (value: string) => {
    if (secrets.includes(value)) return
    secrets.push(value)
    if (secrets.length > MAX_TOKENS + 1) secrets.splice(1, 1)
  }
  let token: Promise<{ value: string; expiresAt: number }> | undefined

  async function current(): Promise<string> {
    token ??= fetchToken(client, tokenUrl, auth)
    const mine = token
    try {
      const { value, expiresAt } = await mine
      if (Date.now() < expiresAt) {
        remember(value)
        return value
      }
    } catch (error) {
      if (token === mine) token = undefined
      throw error
    }
    if (token === mine) token = undefined
    return current()
  }

  return {
    secrets,
    renewable: true,
    async apply({ headers }) {
      headers['authorization'] = `Bearer ${await current()}`
    },
    renew() {
      token = undefined
      return true
    },
  }
}

/** The number of latest tokens that are hidden in errors; calls with older ones have ended. */
const MAX_TOKENS = 20

/** How early a token is renewed, so that it does not expire in transit. */
const EARLY_MS = 30_000
/** The life of a token whose server does not say it in seconds. */
const DEFAULT_LIFE_S = 3600

async function fetchToken(
  client: TokenSource['client'],
  url: URL,
  auth: ApiAuth & { type: 'oauth2' },
) {
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  if (auth.scope !== undefined) form.set('scope', auth.scope)
  const id = `${encodeURIComponent(auth.clientId)}:${encodeURIComponent(auth.clientSecret)}`
  const { status, body } = await client.send({
    method: 'post',
    url,
    headers: {
      authorization: `Basic ${Buffer.from(id).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: form.toString(),
    timeoutMs: 15_000,
    // Many calls wait for one token, so no single call may abort it.
    signal: new AbortController().signal,
  })
  const answer = parseObject(new TextDecoder().decode(body)) ?? {}
  const value = answer['access_token']
  if (status !== 200 || typeof value !== 'string') {
    const message = `${url.host} gave no access token (status ${status}); check auth.clientId`
    throw new HttpFailure('refused', message)
  }
  const seconds = Number(answer['expires_in'] ?? DEFAULT_LIFE_S)
  const lifeMs = (Number.isFinite(seconds) ? seconds : DEFAULT_LIFE_S) * 1000
  return { value, expiresAt: Date.now() + Math.max(lifeMs - EARLY_MS, lifeMs / 2, 1_000) }
}
