import type { IncomingMessage } from 'node:http'
import { Hono } from 'hono'
import { GatewayError } from '../../gateway/errors.ts'
import { HttpError } from '../../http/http-error.ts'
import type { Mount, SiteEnv } from '../../http/mount.ts'
import { html, page, pageHeaders } from '../../identity/incoming/pages/html.ts'
import { clientMetadata } from '../../identity/sign-ins/provider.ts'
import { type Visitor, knownVisitor, toVisitor } from '../access/visitor.ts'
import { mustBeOurUser } from '../access/may-change.ts'
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
    const visitor = await toVisitor(incoming, sources)
    if (visitor.via === 'open') mustBeOurUser(incoming)
    return start(visitor, c.req.param('server'), incoming)
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
        title: 'Sign in to Portolan first',
        paragraphs: [
          ...wasWrong,
          'Before you sign in to a server, sign in to Portolan with your key.',
        ],
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

function toPage({ status, title, paragraphs, keyForm }: PageContent): Response {
  const content = html`<h1>${title}</h1>
    ${paragraphs.map((text) => html`<p>${text}</p>`)}
    ${
      keyForm !== undefined &&
      html`<form method="post" action="${keyForm}">
        <label for="key">Your Portolan key</label>
        <input id="key" name="key" type="password" autocomplete="current-password" required />
        <div class="row"><button>Continue</button></div>
      </form>`
    }`
  // Submitting the form redirects to the authorization server, another site.
  return new Response(page(title, content), { status, headers: pageHeaders('anywhere') })
}
