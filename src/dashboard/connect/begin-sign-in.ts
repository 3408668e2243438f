import type { IncomingMessage } from 'node:http'
import { LOCAL_PERSON, personOf } from '../../gateway/agents/on-behalf-of.ts'
import { HttpError } from '../../http/http-error.ts'
import { EVERYBODY } from '../../identity/sign-ins/server.ts'
import type { SignIn } from '../../identity/sign-ins/sign-in.ts'
import type { Visitor } from '../access/visitor.ts'
import type { Sources } from '../sources.ts'
import { browserCookie, browserOf, newBrowser } from './browser-cookie.ts'

/** The person in whose name a visitor calls servers, and which servers they may use. */
export interface VisitorPerson {
  readonly person: string
  readonly mayUse: (server: string) => boolean
}

/** Without a required key, every visitor is the person of this machine, who may use everything. */
export async function personBehind(
  { via, caller }: Visitor,
  { world }: Sources,
): Promise<VisitorPerson> {
  if (via === 'open' || via === 'local') return { person: LOCAL_PERSON, mayUse: () => true }
  const agent = await world.identify(caller)
  const mayUse = (server: string) => world.policy.server(agent, server).effect === 'allow'
  return { person: personOf(agent), mayUse }
}

/** Returns a visitor's sign-in to a server; a server they may not use looks like a missing one. */
export async function signInOf(visitor: Visitor, name: string, sources: Sources): Promise<SignIn> {
  const { signIns } = sources.people
  const { person, mayUse } = await personBehind(visitor, sources)
  const server = signIns.servers.get(name)
  if (!server || !mayUse(name))
    throw new HttpError(404, 'SERVER_NOT_FOUND', `There is no server '${name}' to sign in to`)
  const isShared = server.oauth.tokens === 'shared'
  // Everybody acts with a shared sign-in, so only an admin may provide it.
  if (isShared && visitor.role !== 'admin')
    throw new HttpError(
      403,
      'ROLE_REQUIRED',
      `The sign-in to '${name}' is shared by everybody: it needs the role admin`,
    )
  return signIns.of(server, isShared ? EVERYBODY : person)
}

/** Returns the address where the browser signs in, and the cookie that identifies its return. */
export async function beginSignIn(
  signIn: SignIn,
  request: IncomingMessage,
  { people: { signIns } }: Sources,
): Promise<{ readonly address: URL; readonly cookie: string }> {
  const { place } = signIns
  if (!place) throw new HttpError(503, 'SERVER_UNAVAILABLE', 'This gateway serves no pages')
  const { callbackUrl } = place
  const browser = browserOf(request) ?? newBrowser()
  const address = await signIns.begin(signIn, { callbackUrl, browser })
  return { address, cookie: browserCookie(browser, callbackUrl.startsWith('https:')) }
}
