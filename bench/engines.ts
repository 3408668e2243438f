import { Flights } from '../src/gateway/state/flights.ts'
import { Redis } from 'ioredis'
import { Client } from 'pg'
import { openDatabase } from '../src/replicas/database/open-database.ts'
import { cache } from '../src/gateway/layers/cache.ts'
import { createRedisRates } from '../src/replicas/redis/redis-rates.ts'
import { RedisResults } from '../src/replicas/redis/redis-results.ts'
import { aCall, anUpstream } from '../test/support/a-call.ts'
import { openReadyRedis } from '../test/support/open-ready-redis.ts'
import { createDatabase, startPostgres } from '../test/support/postgres.ts'
import { startRedis } from '../test/support/redis.ts'

/**
 * Measures what one call costs the Redis and PostgreSQL that replicas share, each in isolation;
 * docs/guides/scaling-figures.md uses these figures. `npm run bench -- engines`
 */
const CALLS = 9_600
const RESULT_BYTES = 2048
/** Concurrent calls, as on a busy replica. */
const AT_ONCE = 32

const [redis, postgres] = await Promise.all([startRedis({ ownOnly: true }), startPostgres()])
try {
  const limit = await measureLimit()
  const miss = await measureMiss()
  console.log(`a limit: ${limit.ownUs} µs of the replica, ${limit.redisUs} µs of Redis`)
  console.log(`a cache miss: ${miss.ownUs} µs of the replica, ${miss.redisUs} µs of Redis`)
  const auditBytes = await measureRecord()
  const result = {
    limitUs: limit.ownUs,
    limitRedisUs: limit.redisUs,
    missUs: miss.ownUs,
    missRedisUs: miss.redisUs,
    keptBytes: miss.bytes,
    auditBytes,
  }
  console.log(`RESULT ${JSON.stringify(result)}`)
} finally {
  await Promise.all([redis.stop(), postgres.stop()])
}
process.exit(0)

async function measureLimit() {
  const client = await openReadyRedis(redis.url)
  const rates = createRedisRates(client, { ratePerMinute: 100_000_000 })
  if (!rates) throw new Error('Nothing is limited')
  const cost = await measured(async () => rates.take('ada'))
  client.close()
  return cost
}

/** A cache miss: looks up, claims the flight, stores the result, releases the claim. */
async function measureMiss() {
  const client = await openReadyRedis(redis.url)
  const limits = { maxEntries: 100, maxBytes: 1 << 20, staleMs: 0 }
  const results = new RedisResults(client, limits)
  const rules = { rule: () => ({ defaultMs: 600_000, shared: false }) }
  const answer = { content: [{ type: 'text', text: 'x'.repeat(RESULT_BYTES) }] }
  const handle = cache({ results, flights: new Flights() }, rules)(async () => ({ ...answer }))
  const upstream = anUpstream({ name: 'one' })
  const tool = { server: 'one', name: 'read', definition: { name: 'read' }, readOnly: true }
  const cost = await measured(async (n) =>
    handle(aCall({ upstream, tool, params: { name: 'read', arguments: { n } } })),
  )
  client.close()
  return cost
}

async function measured(work: (n: number) => unknown) {
  const asked = new Redis(redis.url)
  for (let n = 0; n < 1000; n++) await work(-n)
  const [engine, memory] = [await engineUs(asked), await memoryOf(asked)]
  const own = process.cpuUsage()
  for (let n = 1; n <= CALLS; n += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, async (_, i) => work(n + i)))
  const { user, system } = process.cpuUsage(own)
  const redisUs = Math.round(((await engineUs(asked)) - engine) / CALLS)
  const bytes = Math.round(((await memoryOf(asked)) - memory) / CALLS)
  asked.disconnect()
  return { ownUs: Math.round((user + system) / CALLS), redisUs, bytes }
}

async function engineUs(asked: Redis): Promise<number> {
  const info = await asked.info('cpu')
  const seconds = [...info.matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)].map(([, text]) =>
    Number(text),
  )
  return seconds.reduce((sum, each) => sum + each, 0) * 1e6
}

async function memoryOf(asked: Redis): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await asked.info('memory'))?.[1])
}

/** Returns the bytes that a recorded call takes in the database, including indexes. */
async function measureRecord(): Promise<number> {
  const url = await createDatabase(postgres.url)
  const database = await openDatabase(url, {})
  const index = database.auditIndex()
  const started = Date.now()
  for (let n = 0; n < CALLS; n++)
    index.record({
      id: `call-${n}`,
      startedAt: started + n,
      operation: 'tools/call',
      agent: `agent-${n % 50}`,
      server: `server-${n % 20}`,
      tool: `tool_${n % 200}`,
      decision: 'ALLOW',
      outcome: 'ok',
      durationMs: 12.34,
      rule: 'agents.ada.allow.servers[0]',
    })
  await index.close()
  await database.close()
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ bytes: string; entries: string }>(
    `select sum(pg_total_relation_size(relid)) as bytes,
       (select count(*) from portolan.audit_entries) as entries
     from pg_partition_tree('portolan.audit_entries')`,
  )
  await client.end()
  return Math.round(Number(rows[0]?.bytes) / Number(rows[0]?.entries))
}
