import { expect, inject, it } from 'vitest'
import { breakableProxy } from '../support/breakable-proxy.ts'
import { openGateway } from '../support/open-gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { stdioUpstream } from '../support/start.ts'

it('is not ready while its database is gone, says since when, and is ready when it is back', async () => {
  const database = await breakableProxy(await createDatabase(inject('postgresUrl')))
  const { url } = await openGateway({
    servers: { one: stdioUpstream() },
    env: { DATABASE_URL: database.url },
  })
  const ready = async () => {
    const answer = await fetch(`${url}/ready`)
    return { status: answer.status, body: await answer.json() }
  }
  expect(await ready()).toMatchObject({ status: 200, body: { checks: { database: { ok: true } } } })
  database.cut()
  await expect.poll(async () => (await ready()).status, { timeout: 10_000 }).toBe(503)
  expect((await ready()).body).toMatchObject({
    status: 'unready',
    checks: { database: { ok: false, required: true, since: expect.any(String) } },
  })
  expect((await fetch(`${url}/health`)).status).toBe(200)
  database.mend()
  await expect.poll(async () => (await ready()).status, { timeout: 10_000 }).toBe(200)
})
