import { z } from 'zod'
import { type Environment, parseEnvironment } from '../base/environment.ts'

const PREFIX = 'PORTOLAN_'

/**
 * The services that replicas share. They are variables instead of settings, because the settings
 * themselves may be stored in the database.
 */
export const sharedServices = z.object({
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'it must start with postgres://')
    .optional()
    .describe('PostgreSQL that replicas store their data in; by default the data folder.'),
  DATABASE_LISTEN_URL: z
    .string()
    .optional()
    .describe('Where to listen for notices, when the other address is that of a pool (PgBouncer).'),
  DATABASE_SCHEMA: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,55}$/, 'it must be small letters, digits and _, such as portolan')
    .optional()
    .describe('The schema of our tables: `portolan`, or where an earlier version left them.'),
  DATABASE_POOL_SIZE: wholeNumber(2)
    .optional()
    .describe('The most connections of one replica: 10.'),
  DATABASE_WAIT_MS: wholeNumber(0)
    .default(30_000)
    .describe('How long to wait for the database at the start.'),
  REDIS_URL: z
    .string()
    .regex(
      /^(rediss?:\/)?\//,
      'it must start with redis:// or rediss://, or be the path of a socket',
    )
    .optional()
    .describe('Redis that replicas share limits and results in, and reach each other through.'),
  REDIS_TIMEOUT_MS: wholeNumber(1)
    .optional()
    .describe('The longest a call waits for Redis: 50 ms.'),
})

/** Warns about shared services without PORTOLAN_SECRET_KEY. */
export function sharedServicesWarning(env: Environment): SharedServicesWarning | undefined {
  if (env['PORTOLAN_SECRET_KEY']) return undefined
  if (!env['PORTOLAN_DATABASE_URL']) return env['PORTOLAN_REDIS_URL'] ? NO_COMMON_SECRET : undefined
  return {
    message:
      'PORTOLAN_SECRET_KEY is not set: the database keeps the sign-ins and keys of people, and what signs sessions, as they are',
    fix: 'Set PORTOLAN_SECRET_KEY to the same long random text for every replica; what is stored is sealed with it from then on.',
  }
}

const NO_COMMON_SECRET: SharedServicesWarning = {
  message:
    'PORTOLAN_SECRET_KEY is not set: without a shared database, a replica continues only the sessions that it has opened itself',
  fix: 'Set PORTOLAN_SECRET_KEY to the same long random text for every replica.',
}

export interface SharedServicesWarning {
  readonly message: string
  readonly fix: string
}

export interface SharedServices {
  readonly databaseUrl: string | undefined
  readonly listenUrl: string | undefined
  readonly schema: string | undefined
  readonly poolSize: number | undefined
  readonly waitMs: number
  readonly redisUrl: string | undefined
  readonly redisTimeoutMs: number | undefined
}

export function sharedServicesFrom(env: Environment): SharedServices {
  const found = parseEnvironment(sharedServices, PREFIX, env)
  return {
    databaseUrl: found.DATABASE_URL,
    listenUrl: found.DATABASE_LISTEN_URL,
    schema: found.DATABASE_SCHEMA,
    poolSize: found.DATABASE_POOL_SIZE,
    waitMs: found.DATABASE_WAIT_MS,
    redisUrl: found.REDIS_URL,
    redisTimeoutMs: found.REDIS_TIMEOUT_MS,
  }
}

function wholeNumber(least: number) {
  const message = `it must be a whole number from ${least}`
  return z.coerce.number(message).int(message).min(least, message)
}
