import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../gateway/call.ts'
import { personOf } from '../../gateway/on-behalf-of.ts'
import { HttpError } from '../../http/http-error.ts'
import { EVERYBODY } from '../../identity/sign-ins/server.ts'
import type { SignIn } from '../../identity/sign-ins/sign-in.ts'
import type { Sources } from '../sources.ts'
import { browserCookie, browserOf, newBrowser } from './browser-cookie.ts'

/** The sign-in of whoever asks to a server that they may use; of others, not even the name is told. */
export async function signInOf(caller: Caller, name: string, sources: Sources): Promise<SignIn> {
  const { world, people } = sources
  const agent = await world.identify(caller)
  const server = people.signIns.servers.get(name)
  if (!server || world.policy.server(agent, name).effect === 'deny')
    throw new HttpError(404, 'SERVER_NOT_FOUND', `There is no server '${name}' to sign in to`)
  const isShared = server.oauth.tokens === 'shared'
  // Everybody would act with it, so that whoever gives it must be trusted by everybody.
  if (isShared && agent.proof !== 'fallback' && agent.proof !== 'claim' && agent.role !== 'admin')
    throw new HttpError(
      403,
      'ROLE_REQUIRED',
      `The sign-in to '${name}' is shared by everybody: it needs the role admin`,
    )
  return people.signIns.of(server, isShared ? EVERYBODY : personOf(agent))
}

/** Where the browser goes to sign in, and the cookie by which it is known when it comes back. */
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
