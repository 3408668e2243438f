/**
 * Measures what the check of an access token costs a call: the first time, in the database, and
 * every further time, in memory. `npm run bench -- sign-in`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Agent } from '../src/gateway/call.ts'
import { createFileKeyStore } from '../src/identity/file-key-store.ts'
import { createAccessTokens } from '../src/identity/incoming/server/access-tokens.ts'
import { openAuthorizationServer } from '../src/identity/incoming/server/authorization-server.ts'
import { createProtectedResource } from '../src/identity/incoming/tokens/protected-resource.ts'
import { createRecordAdapter } from '../src/identity/incoming/server/record-adapter.ts'
import { createSignInChanges } from '../src/identity/incoming/sign-in-changes.ts'
import { createDirectory } from '../src/identity/directory.ts'
import { sealFromEnvironment } from '../src/identity/vault/seal.ts'
import { openStorage } from '../src/storage/open-storage.ts'
import { median, round } from './support/numbers.ts'

const CHECKS = 50_000
const ROUNDS = 15
const ORIGIN = 'http://127.0.0.1:7411'

const home = mkdtempSync(join(tmpdir(), 'portolan-bench-'))
const storage = await openStorage({ home })
const keys = createFileKeyStore(join(home, 'keys.json'))
const resource = createProtectedResource({
  origin: ORIGIN,
  paths: ['/mcp'],
  authorizationServers: [ORIGIN],
})
const changes = createSignInChanges(undefined)
const server = await openAuthorizationServer({
  resource,
  defaultResource: `${ORIGIN}/mcp`,
  storage,
  keys,
  changes,
  seal: sealFromEnvironment({}),
  registration: true,
  accessTokenMs: 3_600_000,
  refreshTokenMs: 3_600_000,
  fetch,
  renderError: () => '',
})

const records = createRecordAdapter(storage, { alreadyUsed: () => new Error('used') })
await records('Client').upsert('bench', {
  client_id: 'bench',
  client_name: 'Bench',
  redirect_uris: ['http://127.0.0.1:9/callback'],
  token_endpoint_auth_method: 'none',
})

/** Issues a token like that of a person who signed in. */
async function aToken(): Promise<string> {
  const person = { user: 'ada@example.com', groups: ['platform'] }
  const accountId = await server.accounts.save({ agent: person.user, person, source: 'provider' })
  const client = await server.provider.Client.find('bench')
  if (client === undefined) throw new Error('There is no client')
  const token = new server.provider.AccessToken({
    accountId,
    client,
    aud: `${ORIGIN}/mcp`,
    scope: 'tools:read tools:write',
    grantId: 'grant',
    gty: 'authorization_code',
  })
  return token.save()
}

const tokens = createAccessTokens({ open: async () => server, resource: () => resource, changes })
const directory = createDirectory({
  keys,
  tokens,
  rules: undefined,
  credentialRequired: () => true,
})
const identify = (credential: string): Agent | Promise<Agent> =>
  directory.identify({ transport: 'http', path: '/mcp', credential, claimedAgent: undefined })

const firsts: number[] = []
let last = ''
for (let n = 0; n < 50; n++) {
  last = await aToken()
  const startedAt = performance.now()
  await identify(last)
  firsts.push((performance.now() - startedAt) * 1_000)
}

const times: number[] = []
for (let each = 0; each < ROUNDS; each++) {
  await identify(last)
  const startedAt = performance.now()
  for (let n = 0; n < CHECKS; n++) {
    const found = identify(last)
    if (found instanceof Promise) await found
  }
  times.push(((performance.now() - startedAt) * 1_000) / CHECKS)
}

const result = { firstUs: round(median(firsts), 1), memoryUs: round(median(times), 3) }
console.log(`first check, in the database   ${result.firstUs} µs`)
console.log(`every other check, in memory   ${result.memoryUs} µs (goal: at most 20)`)
await storage.close()
rmSync(home, { recursive: true, force: true })
console.log(`RESULT ${JSON.stringify(result)}`)
