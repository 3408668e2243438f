import { expect, it } from 'vitest'
import { sharedServicesFrom, sharedServicesWarning } from './shared-services.ts'

const from = (variables: Record<string, string>) =>
  sharedServicesFrom(
    Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [`PORTOLAN_${name}`, value]),
    ),
  )

it('reads what replicas share, each from its variable', () => {
  expect(
    from({
      DATABASE_URL: 'postgres://db/x',
      DATABASE_LISTEN_URL: 'postgres://direct/x',
      DATABASE_SCHEMA: 'team_1',
      DATABASE_POOL_SIZE: '2',
      DATABASE_WAIT_MS: '0',
      REDIS_URL: 'redis://r',
      REDIS_TIMEOUT_MS: '1',
    }),
  ).toEqual({
    databaseUrl: 'postgres://db/x',
    listenUrl: 'postgres://direct/x',
    schema: 'team_1',
    poolSize: 2,
    waitMs: 0,
    redisUrl: 'redis://r',
    redisTimeoutMs: 1,
  })
  expect(from({})).toMatchObject({ databaseUrl: undefined, waitMs: 30_000, redisUrl: undefined })
})

it.each([
  ['DATABASE_URL', 'mysql://db/x', 'must start with postgres://'],
  ['DATABASE_URL', 'x postgres://db/x', 'must start with postgres://'],
  ['DATABASE_SCHEMA', 'a; drop', 'small letters'],
  ['DATABASE_SCHEMA', '1a', 'small letters'],
  ['DATABASE_SCHEMA', 'a'.repeat(57), 'small letters'],
  ['DATABASE_POOL_SIZE', '1', 'a whole number from 2'],
  ['DATABASE_WAIT_MS', '-1', 'a whole number from 0'],
  ['REDIS_TIMEOUT_MS', '1.5', 'a whole number from 1'],
])('refuses %s=%s', (name, value, why) => {
  expect(() => from({ [name]: value })).toThrow(why)
})

it('warns of shared services without a key that replicas have in common', () => {
  const redis = { PORTOLAN_REDIS_URL: 'redis://cache' }
  expect(sharedServicesWarning(redis)).toMatchObject({
    message: expect.stringContaining('a replica continues only the sessions'),
  })
  expect(sharedServicesWarning({ ...redis, PORTOLAN_SECRET_KEY: 'k' })).toBeUndefined()

  const database = { PORTOLAN_DATABASE_URL: 'postgres://db/x' }
  expect(sharedServicesWarning(database)).toMatchObject({
    message: expect.stringContaining('PORTOLAN_SECRET_KEY is not set'),
    fix: expect.stringContaining('for every replica'),
  })
  expect(sharedServicesWarning({ ...database, PORTOLAN_SECRET_KEY: 'k' })).toBeUndefined()
  expect(sharedServicesWarning({})).toBeUndefined()
})
