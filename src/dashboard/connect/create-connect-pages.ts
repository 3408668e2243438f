import type { IncomingMessage } from 'node:http'
import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { GatewayError } from '../../gateway/errors.ts'
import { HttpError } from '../../http/http-error.ts'
import type { Mount, SiteEnv } from '../../http/mount.ts'
import { clientMetadata } from '../../identity/sign-ins/provider.ts'
import { type Visitor, knownVisitor, toVisitor } from '../access/visitor.ts'
import { refuseOtherPages } from '../access/same-site.ts'
import { readText } from '../read-text.ts'
import type { Sources } from '../sources.ts'
import { beginSignIn, signInOf } from './begin-sign-in.ts'
import { browserOf } from './browser-cookie.ts'
import { CONNECT } from './place.ts'

const MAX_FORM_LENGTH = 16_384

/** The pages for signing in to upstreams: the start, and the page to which the browser returns. */
export function createConnectPages(sources: Sources): Mount {
  const pages = new Hono<SiteEnv>().basePath(CONNECT)

  async function start(visitor: Visitor, name: string, request: IncomingMessage) {
    const signIn = await signInOf(visitor, name, sources)
    const { address, cookie } = await beginSignIn(signIn, request, sources)
    return new Response(null, {
      status: 303,
      headers: { location: address.href, 'set-cookie': cookie, 'referrer-policy': 'no-referrer' },
    })
  }

  pages.get('/start/:server', async (c) => {
    const { incoming } = c.env
    return start(await toVisitor(incoming, sources), c.req.param('server'), incoming)
  })

  // A person's key comes from this gateway's own form and is sent nowhere else.
  pages.post('/start/:server', async (c) => {
    const { incoming } = c.env
    refuseOtherPages(incoming, sources.config.settings.listen.allowedOrigins)
    const form = new URLSearchParams(await readText(c.req.raw, MAX_FORM_LENGTH))
    const credential = form.get('key')?.trim()
    const caller = { transport: 'http', credential, claimedAgent: undefined } as const
    const visitor = await knownVisitor(sources, caller, undefined)
    return start(visitor, c.req.param('server'), incoming)
  })

  pages.get('/callback', async (c) => {
    const { searchParams } = new URL(c.req.url)
    const { signIns } = sources.people
    const { ok, status, message } = await signIns.finish(searchParams, browserOf(c.env.incoming))
    return toPage({ status, title: ok ? 'Signed in' : 'Not signed in', paragraphs: [message] })
  })

  pages.get('/client.json', (c) => {
    const { place } = sources.people.signIns
    if (place?.clientMetadataUrl === undefined)
      throw new HttpError(
        404,
        'NOT_FOUND',
        'There is a client metadata document only at a public https address',
        'Set listen.publicUrl.',
      )
    const document = { client_id: place.clientMetadataUrl, ...clientMetadata(place.callbackUrl) }
    return c.json(document, 200, { 'cache-control': 'public, max-age=3600' })
  })

  pages.onError((error, c) => {
    const isUnknown = error instanceof GatewayError && error.code === 'UNAUTHENTICATED'
    if (isUnknown && c.req.path.startsWith(`${CONNECT}/start/`)) {
      const wasWrong = c.req.method === 'POST' ? ['That key is not known.'] : []
      return toPage({
        status: 401,
        title: 'Who are you?',
        paragraphs: [...wasWrong, 'To sign in to a server, show first who you are to Portolan.'],
        keyForm: c.req.path,
      })
    }
    if (c.req.path === `${CONNECT}/client.json`) throw error
    const isExpected = error instanceof GatewayError || error instanceof HttpError
    const message = isExpected ? error.message : 'Something went wrong in Portolan.'
    const hint = error instanceof GatewayError ? error.details.hint : undefined
    return toPage({
      status: error instanceof HttpError ? error.status : 502,
      title: 'Not signed in',
      paragraphs: [message, ...(hint === undefined ? [] : [hint])],
    })
  })

  return { fetch: pages.fetch, close: () => undefined }
}

interface PageContent {
  readonly status: number
  readonly title: string
  /** Plain text, one paragraph each. */
  readonly paragraphs: readonly string[]
  /** The address to which the key form is sent; absent if the page has no form. */
  readonly keyForm?: string
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;color:#1b1b1b;background:#fff}input,button{font:inherit;padding:.5rem;width:100%;box-sizing:border-box;margin:.25rem 0 1rem}'

/** A page without scripts that shows only plain text of the gateway. */
function toPage({ status, title, paragraphs, keyForm }: PageContent): Response {
  const nonce = randomBytes(16).toString('base64url')
  const form =
    keyForm === undefined
      ? ''
      : `<form method="post" action="${escape(keyForm)}"><label for="key">Your Portolan key</label><input id="key" name="key" type="password" autocomplete="current-password" required><button>Continue</button></form>`
  const body = paragraphs.map((text) => `<p>${escape(text)}</p>`).join('')
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)} – Portolan</title><style nonce="${nonce}">${STYLE}</style></head><body><main><h1>${escape(title)}</h1>${body}${form}</main></body></html>\n`
  return new Response(html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // No form-action: submitting the form redirects to the authorization server, another site.
      'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
  })
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
