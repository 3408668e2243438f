import { expect, inject, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/replicas/database/open-database.ts'
import { call, execute, refusal, textOf, valueOf } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { createDatabase } from '../support/postgres.ts'
import { stdioUpstream } from '../support/start.ts'

async function opened(env: Record<string, string>): Promise<Opened> {
  return openGateway({
    servers: { one: stdioUpstream() },
    settings: { auth: { required: true } },
    env,
  })
}

async function readyOf({ url }: Opened): Promise<unknown> {
  return (await fetch(`${url}/ready`)).json()
}

it('behind PgBouncer a replica listens past it, or says that it cannot hear and looks by itself', async () => {
  const direct = await createDatabase(inject('postgresUrl'))
  const pooled = await startPgBouncer(direct, onTestFinished)
  const database = await openDatabase(direct, {})
  const keys = database.keys(1)
  const [listening, polling] = await Promise.all([
    opened({ PORTOLAN_DATABASE_URL: pooled, PORTOLAN_DATABASE_LISTEN_URL: direct }),
    opened({ PORTOLAN_DATABASE_URL: pooled }),
  ])
  await expect.poll(async () => readyOf(listening)).toMatchObject({ status: 'ready' })
  await expect
    .poll(async () => readyOf(polling), { timeout: 10_000 })
    .toMatchObject({
      status: 'degraded',
      checks: {
        database: { ok: false, error: expect.stringContaining('PORTOLAN_DATABASE_LISTEN_URL') },
      },
    })

  for (const gateway of [listening, polling]) {
    const { key, secret } = await keys.create('ada')
    const client = await gateway.connect({ headers: { 'x-api-key': secret } })
    expect(textOf(await execute(client, 'one', 'echo', { text: 'hi' }))).toBe('hi')
    const state = gateway === polling ? 'no_notices' : 'ok'
    expect(valueOf(await call(client, 'get_gateway_status'))).toMatchObject({ database: { state } })
    await keys.revoke(key.id)
    await expect
      .poll(async () => (await refusal(execute(client, 'one', 'echo'))).message, { timeout: 1_500 })
      .toContain('revoked')
  }
  await database.close()
  // The first time it is installed too.
}, 120_000)
