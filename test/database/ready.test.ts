import { expect, inject, it } from 'vitest'
import { breakableProxy } from '../support/breakable-proxy.ts'
import { call, textOf } from '../support/clients/talk.ts'
import { REFUSALS, startMoodyProxy } from '../support/front-doors/moody-proxy.ts'
import { openGateway } from '../support/open-gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { stdioUpstream } from '../support/start.ts'

it('says that its database is gone, since when, and that it goes on without it', async () => {
  const database = await breakableProxy(await createDatabase(inject('postgresUrl')))
  const { url } = await openGateway({
    servers: { one: stdioUpstream() },
    env: { PORTOLAN_DATABASE_URL: database.url },
  })
  const ready = async () => {
    const answer = await fetch(`${url}/ready`)
    return { status: answer.status, body: await answer.json() }
  }
  expect(await ready()).toMatchObject({ status: 200, body: { checks: { database: { ok: true } } } })
  database.cut()
  await expect
    .poll(async () => (await ready()).body)
    .toMatchObject({
      status: 'degraded',
      checks: { database: { ok: false, required: false, since: expect.any(String) } },
    })
  // Replicas lose their database together: turning all of them away would serve nobody.
  expect((await ready()).status).toBe(200)
  expect((await fetch(`${url}/health`)).status).toBe(200)
  database.mend()
  await expect.poll(async () => (await ready()).body).toMatchObject({ status: 'ready' })
})

it('ends on a signal although its database accepts everything and answers nothing', async () => {
  const target = await createDatabase(inject('postgresUrl'))
  const database = await startMoodyProxy(target, REFUSALS.postgres)
  const gateway = await openGateway({
    servers: { one: stdioUpstream() },
    env: { PORTOLAN_DATABASE_URL: database.url },
  })
  const client = await gateway.connect()
  const echo = async () => textOf(await call(client, 'one__echo', { text: 'ahoy' }))
  expect(await echo()).toBe('ahoy')
  await database.become('hanging')
  // Its record waits for the database.
  expect(await echo()).toBe('ahoy')
  await gateway.close()
  expect(gateway.child.exitCode).toBe(0)
  expect(gateway.log()).toContain('ended without waiting any longer')
})
