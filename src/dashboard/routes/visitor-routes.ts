import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { GatewayError } from '../../gateway/errors.ts'
import { VERSION } from '../../base/version.ts'
import type { Me } from '../contract/access.ts'
import { SESSION_PREFIX } from '../../identity/incoming/tokens/token-prefixes.ts'
import { mustBeOurUser } from '../access/may-change.ts'
import { loginCookie, logoutCookie, readCookie } from '../access/cookie.ts'
import { text } from '../inputs.ts'
import { HttpError } from '../../http/http-error.ts'
import { recordChange } from '../record-change.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Serving, Sources } from '../sources.ts'
import { type Visitor, knownVisitor, localVisitor, portOf } from '../access/visitor.ts'

/** The visitor's identity, login and logout. */
export function visitorRoutes(sources: Sources, serving: Serving): Route[] {
  const toMe = ({ role, via, mayChange, actAs }: Visitor): Me => ({
    role,
    mayChange,
    agent: actAs[0] ?? null,
    actAs,
    via,
    version: VERSION,
    endpoint: serving.endpoint(),
  })
  /** Returns the cookie's content: a session, which can be listed and ended, or else the key. */
  async function toSession(credential: string, request: IncomingMessage): Promise<string> {
    const people = sources.signIn?.people
    const key = people && (await sources.keys.find(credential))
    if (!key) return credential
    const accounts = await people.accounts()
    const id = await accounts.save({ agent: key.agent, key: key.id, source: 'key' })
    return people.dashboard.begin(id, request.headers['user-agent'])
  }
  /** Returns the visitor who logs out; undefined if the login had already ended. */
  async function leaving(credential: string | undefined): Promise<Visitor | undefined> {
    if (credential === undefined) return undefined
    const caller = { transport: 'http', credential, claimedAgent: undefined } as const
    return knownVisitor(sources, caller, 'cookie').catch(() => undefined)
  }
  return [
    defineRoute('GET /me', { role: 'agent', answer: ({ visitor }) => toMe(visitor) }),
    defineRoute('POST /login', {
      role: null,
      changes: false,
      body: z.object({ key: text }),
      async answer({ body, request, setHeader }) {
        const credential = body.key?.trim()
        const caller = { transport: 'http', credential, claimedAgent: undefined } as const
        const visitor = await knownVisitor(sources, caller, 'cookie').catch(explainKey)
        if (visitor.role === 'agent')
          throw new HttpError(
            403,
            'ROLE_REQUIRED',
            'Keys with the role agent cannot open the dashboard',
            'Make one that may: `portolan keys create <agent> --role viewer` or `--role admin`.',
          )
        setHeader('set-cookie', loginCookie(await toSession(credential ?? '', request), request))
        recordChange(sources, visitor, 'sign-in', { to: 'dashboard', with: 'key' })
        return toMe(visitor)
      },
    }),
    defineRoute('GET /sign-in', {
      role: null,
      answer: () => ({ accounts: sources.signIn?.people?.address() ?? null }),
    }),
    defineRoute('POST /session', {
      role: null,
      changes: false,
      body: z.object({ link: text }),
      async answer({ body: { link = '' }, request, setHeader }) {
        mustBeOurUser(request)
        const session = sources.passes.redeem(link, portOf(request))
        if (session === undefined)
          throw new HttpError(
            401,
            'UNAUTHENTICATED',
            'This link was used already, or is too old',
            'Run `portolan dashboard` again: each link works once, for five minutes.',
          )
        const visitor = await localVisitor(sources, true)
        setHeader('set-cookie', loginCookie(session, request))
        recordChange(sources, visitor, 'sign-in', { to: 'dashboard', with: 'link' })
        return { ...toMe(visitor), proof: sources.passes.proofOf(session) }
      },
    }),
    defineRoute('POST /logout', {
      role: null,
      changes: false,
      async answer({ request, setHeader }) {
        const credential = readCookie(request)
        const visitor = await leaving(credential)
        if (credential?.startsWith(SESSION_PREFIX))
          await sources.signIn?.people?.dashboard.end(credential)
        if (visitor) recordChange(sources, visitor, 'sign-out', { of: 'dashboard' })
        setHeader('set-cookie', logoutCookie(request))
        return { ok: true }
      },
    }),
  ]
}

/** The error of a wrong credential says how programs send one; this is for the sign-in page. */
function explainKey(error: unknown): never {
  if (!(error instanceof GatewayError) || error.code !== 'UNAUTHENTICATED') throw error
  throw new HttpError(
    401,
    'UNAUTHENTICATED',
    'This gateway does not accept that key',
    'It may have ended: `portolan keys list` shows the keys, where the gateway runs.',
  )
}
