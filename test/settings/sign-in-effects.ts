import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { serveHttp } from '../../src/app/serve.ts'
import { messageOf } from '../../src/base/errors.ts'
import { createFileKeyStore } from '../../src/identity/file-key-store.ts'
import { identityFiles } from '../../src/identity/identity-files.ts'
import { createFetchPublic } from '../../src/identity/incoming/server/fetch-public.ts'
import { createUsers } from '../../src/identity/incoming/accounts/users.ts'
import { SIGN_IN_PATHS } from '../../src/identity/incoming/sign-in-paths.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { freePort } from '../support/free-port.ts'
import { DashboardPerson } from '../support/sign-in/dashboard-person.ts'
import { OAuthClient } from '../support/sign-in/oauth-client.ts'
import { withKey } from '../support/sign-in/signing-client.ts'
import { startTeamIdp } from '../support/sign-in/team-idp.ts'
import { type Effects, beside, effect } from './effect.ts'
import { openToy } from './open-toy.ts'
import { tokenProvider } from './token-provider.ts'

type Env = Record<string, string>

/** Where the gateways of these rows are; nobody connects to it. */
const PUBLIC_URL = 'https://tools.example'
const ISSUER = 'https://idp.example'

/** A gateway over HTTP, with a key for Ada. */
async function served(env: Env) {
  const port = Number(env['PORTOLAN_LISTEN_PORT'] ?? (await freePort()))
  const { app, folder } = await openToy({ PORTOLAN_LISTEN_PORT: String(port), ...env })
  const server = await serveHttp(app, { surface: undefined })
  onTestFinished(async () => server.close())
  const keys = createFileKeyStore(identityFiles(folder.file('data')).keys)
  const { secret } = await keys.create('ada')
  return { origin: `http://127.0.0.1:${port}`, key: secret, home: folder.file('data') }
}

async function metadata(env: Env, path: string): Promise<Record<string, unknown>> {
  const { origin } = await served(env)
  const response = await fetch(`${origin}/.well-known/${path}`)
  return response.ok ? JSON.parse(await response.text()) : { status: response.status }
}

/** Who issues tokens, by what the endpoint says of itself. */
async function issuerOf(env: Env): Promise<unknown> {
  const { authorization_servers: issuers } = await metadata(env, 'oauth-protected-resource/mcp')
  return Array.isArray(issuers) ? issuers[0] : issuers
}

const EMBEDDED = { PORTOLAN_AUTH_SERVER_ENABLED: 'true' }

/** The tokens of somebody who has signed in with a key. */
async function signedIn(env: Env) {
  const { origin, key } = await served({ ...EMBEDDED, ...env })
  const client = await new OAuthClient(origin).register()
  const { body } = await client.redeem(await client.code(withKey(key)))
  return { client, body }
}

/** The role in the dashboard of somebody who is in the group `crew`. */
async function roleOfCrew(env: Env): Promise<unknown> {
  const { origin, home } = await served({ ...EMBEDDED, ...env })
  const storage = await openStorage({ home })
  await createUsers(storage).save({ name: 'eve', groups: ['crew'], role: 'agent' }, 'correct horse')
  await storage.close()
  const eve = await new DashboardPerson(origin).byPassword('eve', 'correct horse')
  return (await eve.ask('GET /me')).value.role
}

/** Who may do what in the dashboard. */
export const ROLES_BY_GROUP: Effects = {
  'auth.adminGroups': effect('oncall,crew', roleOfCrew, ['agent', 'admin']),
  'auth.viewerGroups': effect('crew', roleOfCrew, ['agent', 'viewer']),
}

/** The section `auth.server`. */
export const SIGN_IN_SERVER: Effects = {
  'auth.server.enabled': effect(
    'true',
    async (env) => (await metadata(env, 'oauth-authorization-server'))['status'] ?? 'there',
    [404, 'there'],
  ),
  'auth.server.registration': effect(
    'false',
    beside(
      EMBEDDED,
      async (env) =>
        (await metadata(env, 'oauth-authorization-server'))['registration_endpoint'] !== undefined,
    ),
    [true, false],
  ),
  'auth.server.privateHosts': effect(
    '127.0.0.1:9',
    async (env) => {
      const { app } = await openToy(env)
      const fetchPublic = createFetchPublic(app.config.settings.auth.server)
      const said = await fetchPublic('https://127.0.0.1:9/client.json').then(() => '', messageOf)
      return said.includes('private address') ? 'refused' : 'tried'
    },
    ['refused', 'tried'],
  ),
  'auth.server.accessTokenMs': effect(
    '60000',
    async (env) => Object(await signedIn(env)).body.expires_in,
    [3600, 60],
  ),
  'auth.server.refreshTokenMs': effect(
    '1000',
    async (env) => {
      const { client, body } = await signedIn(env)
      await wait(2_100)
      return (await client.refresh(body.refresh_token)).status
    },
    [200, 400],
  ),
}

/** A token of Ada, who is in the group `crew` and the team `ops`. */
async function adasToken(): Promise<string> {
  const claims = { email: 'ada@example.com', email_verified: true, groups: ['crew'], team: 'ops' }
  return (await tokenProvider()).sign('u-1', claims)
}

/** Who Ada is to a gateway that accepts the tokens of her provider. */
async function who(env: Env): Promise<unknown> {
  const { issuer } = await tokenProvider()
  const token = await adasToken()
  const { app } = await openToy({
    PORTOLAN_AUTH_PROVIDER_ISSUER: issuer,
    PORTOLAN_AUTH_PROVIDER_AUDIENCE: 'portolan',
    ...env,
  })
  try {
    const caller = { transport: 'http', credential: token, claimedAgent: undefined } as const
    const { id, person } = await app.world.identify(caller)
    return [id, ...(person?.groups ?? [])].join(', ')
  } catch (error) {
    return /not accepted/.exec(messageOf(error))?.[0] ?? error
  }
}

/** A gateway that is a client of a provider, and the browser of somebody who goes there. */
async function atProvider(env: Env) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const idp = await startTeamIdp(`${origin}${SIGN_IN_PATHS.providerCallback}`)
  await served({
    PORTOLAN_LISTEN_PORT: String(port),
    PORTOLAN_LISTEN_PUBLIC_URL: origin,
    PORTOLAN_AUTH_PROVIDER_ISSUER: idp.issuer,
    PORTOLAN_AUTH_PROVIDER_CLIENT_ID: idp.clientId,
    ...env,
  })
  const client = await new OAuthClient(origin).register()
  const page = await client.open()
  const go = async (...within: string[]) =>
    client.browser.open(`${page.url.href}/provider`, [origin, ...within])
  return { idp, go }
}

/** The section `auth.provider`. */
export const SIGN_IN_PROVIDER: Effects = {
  'auth.provider.issuer': effect(
    ISSUER,
    beside({ PORTOLAN_LISTEN_PUBLIC_URL: PUBLIC_URL }, issuerOf),
    [PUBLIC_URL, ISSUER],
  ),
  'auth.provider.audience': effect('another', who, ['ada@example.com, crew', 'not accepted']),
  'auth.provider.userClaim': effect('team', who, ['ada@example.com, crew', 'ops, crew']),
  'auth.provider.groupsClaim': effect('team', who, [
    'ada@example.com, crew',
    'ada@example.com, ops',
  ]),
  'auth.provider.clientId': effect(
    'portolan',
    beside(
      { PORTOLAN_LISTEN_PUBLIC_URL: PUBLIC_URL, PORTOLAN_AUTH_PROVIDER_ISSUER: ISSUER },
      issuerOf,
    ),
    [ISSUER, PUBLIC_URL],
  ),
  'auth.provider.clientSecret': effect(
    'a-secret-of-portolan-at-the-provider',
    async (env) => {
      const { idp, go } = await atProvider(env)
      const { text } = await go(idp.issuer)
      return /Nobody was signed in|through your identity provider/.exec(text)?.[0]
    },
    ['Nobody was signed in', 'through your identity provider'],
  ),
  'auth.provider.scopes': effect(
    'openid,email',
    async (env) => {
      const { go } = await atProvider(env)
      return (await go()).url.searchParams.get('scope')
    },
    ['openid profile email', 'openid email'],
  ),
}
