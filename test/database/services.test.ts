import { type Socket, createServer } from 'node:net'
import { sql } from 'kysely'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { type ReplicaServices, openShared } from '../../src/app/shared.ts'
import { messageOf } from '../../src/base/errors.ts'
import { createDatabase } from '../support/postgres.ts'
import { documented } from '../settings/reference.ts'

type Env = Record<string, string>

interface ServiceEffect {
  /** What else is set, with a real PostgreSQL and a real Redis to hand. */
  readonly beside?: (services: Services) => Env
  readonly value: (services: Services) => string
  readonly observe: (env: Env) => Promise<unknown>
  readonly without: unknown
  readonly set: unknown
}

interface Services {
  readonly database: string
  readonly redis: string
  /** Takes connections and says nothing. */
  readonly silent: string
}

const opened = (what: (shared: ReplicaServices) => unknown) => async (env: Env) => {
  const shared = await openShared(env)
  onTestFinished(async () => shared.close())
  return what(shared)
}

const withDatabase = ({ database }: Services) => ({ PORTOLAN_DATABASE_URL: database })

const EFFECTS: Readonly<Record<string, ServiceEffect>> = {
  PORTOLAN_DATABASE_URL: {
    value: ({ database }) => database,
    observe: opened(({ storage }) => storage?.engine),
    without: undefined,
    set: 'postgres',
  },
  PORTOLAN_DATABASE_SCHEMA: {
    beside: withDatabase,
    value: () => 'of_our_own',
    observe: opened(({ storage }) => storage?.schema),
    without: 'portolan',
    set: 'of_our_own',
  },
  PORTOLAN_DATABASE_POOL_SIZE: {
    beside: withDatabase,
    value: () => '2',
    // As many connections as there may be, while each is kept busy.
    observe: opened(async ({ storage }) => {
      const busy = async () =>
        storage && sql`select pg_backend_pid() as pid, pg_sleep(0.3)`.execute(storage.db)
      const answers = await Promise.all(Array.from({ length: 6 }, busy))
      return new Set(answers.map((answer) => JSON.stringify(answer?.rows))).size
    }),
    without: 6,
    set: 2,
  },
  PORTOLAN_DATABASE_LISTEN_URL: {
    beside: withDatabase,
    value: ({ silent }) => silent.replace('redis:', 'postgres:'),
    observe: async (env) => {
      arrivals.clear()
      await opened(() => undefined)(env)
      const limitMs = 'PORTOLAN_DATABASE_LISTEN_URL' in env ? 20_000 : 300
      for (let ms = 0; ms < limitMs && arrivals.size === 0; ms += 20)
        await new Promise((resolve) => setTimeout(resolve, 20))
      return arrivals.size > 0
    },
    without: false,
    set: true,
  },
  PORTOLAN_DATABASE_WAIT_MS: {
    beside: () => ({ PORTOLAN_DATABASE_URL: 'postgres://127.0.0.1:9/none' }),
    value: () => '0',
    observe: async (env) => {
      const failed = openShared(env).then(() => 'opened', messageOf)
      const late = new Promise((resolve) => setTimeout(resolve, 2_000, 'still waiting'))
      return Promise.race([failed, late]).then((said) => String(said).includes('did not answer'))
    },
    without: false,
    set: true,
  },
  PORTOLAN_REDIS_URL: {
    value: ({ redis }) => redis,
    observe: opened(({ redis }) => redis !== undefined),
    without: false,
    set: true,
  },
  PORTOLAN_REDIS_TIMEOUT_MS: {
    beside: ({ redis }) => ({ PORTOLAN_REDIS_URL: redis }),
    value: () => '5000',
    observe: opened(async ({ redis }) => {
      const client = redis?.client
      for (let n = 0; n < 500 && !client?.state.up; n++)
        await new Promise((resolve) => setTimeout(resolve, 20))
      // Redis itself takes 300 ms for this answer.
      return client?.ask(async (server) => server.blpop('nothing-is-put-here', 0.3))
    }),
    without: undefined,
    set: null,
  },
}

/** Connections to what says nothing. */
const arrivals = new Set<Socket>()

async function services(): Promise<Services> {
  const sockets = createServer((socket) => arrivals.add(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => sockets.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of arrivals) socket.destroy()
    sockets.close()
  })
  const address = sockets.address()
  return {
    database: await createDatabase(inject('postgresUrl')),
    redis: inject('redisUrl'),
    silent: `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
  }
}

describe('every variable that names a shared service has an effect', () => {
  it('each has a row here, and no row is left over', () => {
    expect(Object.keys(EFFECTS).toSorted()).toEqual(documented().services.toSorted())
  })

  it.each(Object.entries(EFFECTS))('%s', async (variable, { beside, value, observe, ...told }) => {
    const given = await services()
    const others = beside?.(given) ?? {}
    expect(await observe(others)).toEqual(told.without)
    expect(await observe({ ...others, [variable]: value(given) })).toEqual(told.set)
  })
})
