import { expect, inject, it } from 'vitest'
import { checkServices } from './check-services.ts'

it('finds the services that are configured, and says nothing of others', async () => {
  expect(await checkServices({})).toEqual([])
  const found = await checkServices({
    PORTOLAN_DATABASE_URL: inject('postgresUrl'),
    PORTOLAN_REDIS_URL: inject('redisUrl'),
    PORTOLAN_SECRET_KEY: 'correct horse battery staple',
  })
  expect(found).toEqual([
    { area: 'database', status: 'ok', message: expect.stringMatching(/^PostgreSQL \d+/) },
    { area: 'redis', status: 'ok', message: 'Redis answers' },
  ])
})

it('warns where what replicas share is not sealed', async () => {
  const found = await checkServices({ PORTOLAN_DATABASE_URL: inject('postgresUrl') })
  expect(found.at(-1)).toMatchObject({
    status: 'warn',
    message: expect.stringContaining('PORTOLAN_SECRET_KEY is not set'),
    fix: expect.stringContaining('the same long random text for every replica'),
  })
})

it('says why a service does not answer, without its password', async () => {
  const found = await checkServices({
    PORTOLAN_DATABASE_URL: 'postgres://bob:pa55word@127.0.0.1:9/x',
    PORTOLAN_REDIS_URL: 'redis://:pa55word@127.0.0.1:9',
    PORTOLAN_SECRET_KEY: 'correct horse battery staple',
  })
  expect(found.map(({ area, status }) => [area, status])).toEqual([
    ['database', 'fail'],
    ['redis', 'fail'],
  ])
  expect(JSON.stringify(found)).toContain('ECONNREFUSED')
  expect(JSON.stringify(found)).not.toContain('pa55word')
  for (const { fix } of found) expect(fix).toBeTruthy()
})
