import { expect, inject, it } from 'vitest'
import { openDatabase } from '../../src/replicas/database/open-database.ts'
import { call, execute, refusal, structured, textOf } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { stdioUpstream } from '../support/start.ts'

it('a revoked key ends the handles it has minted within a second, on every replica', async () => {
  const env = { PORTOLAN_DATABASE_URL: await createDatabase(inject('postgresUrl')) }
  const wanted = { servers: { one: stdioUpstream() }, settings: { auth: { required: true } }, env }
  const [mine, other] = await Promise.all([openGateway(wanted), openGateway(wanted)])
  const database = await openDatabase(env.PORTOLAN_DATABASE_URL, {})
  const keys = database.keys(1)
  const { key, secret } = await keys.create('ada')

  const parent = await mine.connect({ headers: { 'x-api-key': secret } })
  const { handle } = structured(await call(parent, 'mint_handle', { name: 'helper' }))
  const headers = { 'x-api-key': String(handle) }
  const helper = await other.connect({ headers })
  expect(textOf(await execute(helper, 'one', 'echo', { text: 'hi' }))).toBe('hi')

  await keys.revoke(key.id)
  await database.close()
  await expect
    .poll(async () => (await refusal(execute(helper, 'one', 'echo'))).message, { timeout: 1_000 })
    .toContain('The API key that this handle comes from was revoked')
  await refusal(mine.connect({ headers }))
})
