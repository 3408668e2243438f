import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import { onTestFinished } from 'vitest'

export interface TeamIdp {
  readonly issuer: string
  /** Every visitor is signed in as this person, without a question. */
  person: { sub: string; email?: string; email_verified?: boolean; groups?: string[] }
  /** The client that is registered for Portolan. */
  readonly clientId: string
  readonly clientSecret: string
}

/** Starts a real OpenID provider of a team, whose pages agree to everything. */
export async function startTeamIdp(redirectUri: string): Promise<TeamIdp> {
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const address = http.address()
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const idp: TeamIdp = {
    issuer,
    clientId: 'portolan',
    clientSecret: 'a-secret-of-portolan-at-the-provider',
    person: { sub: 'u-1' },
  }
  const provider = new Provider(issuer, {
    clients: [
      { client_id: idp.clientId, client_secret: idp.clientSecret, redirect_uris: [redirectUri] },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/person/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...idp.person, sub: id }) }),
    cookies: { keys: ['test'] },
  })
  const answer = provider.callback()
  http.on('request', (request, response) => {
    if (!request.url?.startsWith('/person/')) return void answer(request, response)
    void agree(provider, request, response, idp)
  })
  onTestFinished(() => {
    http.close()
    http.closeAllConnections()
  })
  return idp
}

async function agree(
  provider: Provider,
  request: Parameters<Provider['interactionDetails']>[0],
  response: Parameters<Provider['interactionDetails']>[1],
  { person }: TeamIdp,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login')
    return provider.interactionFinished(request, response, { login: { accountId: person.sub } })
  const grant = new provider.Grant({
    accountId: session?.accountId ?? person.sub,
    clientId: String(params['client_id']),
  })
  grant.addOIDCScope(String(params['scope']))
  const grantId = await grant.save()
  return provider.interactionFinished(request, response, { consent: { grantId } })
}
