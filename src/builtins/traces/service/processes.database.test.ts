import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { DAY_MS, aTracesService } from '../../../../test/support/a-traces-service.ts'
import { createDatabase } from '../../../../test/support/postgres.ts'
import {
  type TracesServer,
  startTracesServer,
} from '../../../../test/support/start-traces-server.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { conceptEmbedder } from '../../../../test/support/test-semantic-search.ts'
import type { Embedder } from '../../../search/embed/embedder.ts'
import { type StorageOptions, openStorage } from '../../../storage/open-storage.ts'
import { updateAccount } from '../../../storage/traces/accounts.ts'

async function twoServers(place: StorageOptions, env: Record<string, string>) {
  const start = async (): Promise<TracesServer> => {
    const server = await startTracesServer(place, { env })
    onTestFinished(async () => void (await server.end('SIGTERM')))
    return server
  }
  return { one: await start(), other: await start() }
}

describe.each([
  ['SQLite', async () => ({ home: tempFolder().path })],
  [
    'PostgreSQL',
    async () => ({
      home: tempFolder().path,
      databaseUrl: await createDatabase(inject('postgresUrl')),
    }),
  ],
])('two processes on %s', (_, fresh) => {
  it('know together what a reader was shown and what it opened', async () => {
    const place = await fresh()
    const { one, other } = await twoServers(place, {})
    const storage = await openStorage(place)
    onTestFinished(async () => storage.close())
    const [author, reader] = [await one.register(), await one.register()]
    // What an account of today chooses does not count.
    await updateAccount(storage.db, reader.id, { created_at: Date.now() - 2 * DAY_MS })
    const context_text = 'The gyroscope drifts after a cold start in winter.'
    const title = 'Gyroscope drifts after a cold start'
    const first = await author.contribute({ title, context_text })
    const second = await author.contribute({ title: 'A gyroscope note', context_text })
    const { body } = await reader.post('/traces/search', { q: 'gyroscope drifts after cold start' })
    expect(body.results.map(({ id }: { id: string }) => id)).toEqual([first, second])
    const rows = async (table: 'shown_results' | 'passed_over') =>
      storage.db.selectFrom(table).selectAll().execute()
    await expect.poll(async () => rows('shown_results')).toHaveLength(1)

    for (const server of [other, one, other]) await server.as(reader).get(`/traces/${second}`)
    expect(await rows('passed_over')).toMatchObject([
      { winner_id: second, loser_id: first, account_id: reader.id },
    ])
    expect((await one.as(author).get(`/traces/${second}`)).body.retrieval_count).toBe(1)
  })
})

it('embed each trace once on PostgreSQL, though all of them look for work', async () => {
  const place = { home: '', databaseUrl: await createDatabase(inject('postgresUrl')) }
  const asked: string[] = []
  const concepts = conceptEmbedder()
  const embedder: Embedder = {
    ...concepts,
    async embed(texts, purpose) {
      asked.push(...texts)
      await sleep(50)
      return concepts.embed(texts, purpose)
    },
  }
  const replicas = [
    await aTracesService({ place, embedder }),
    await aTracesService({ place, embedder }),
  ]
  const author = await replicas[0]?.account()
  for (let n = 0; n < 3; n += 1) await author?.contribute()
  const embedded = await Promise.all(replicas.map(async (replica) => replica.embed()))
  expect(embedded.toSorted((a, b) => a - b)).toEqual([0, 3])
  expect(asked).toHaveLength(3)
})

it('share the limits of a key where they share Redis', async () => {
  const { one, other } = await twoServers(
    { home: tempFolder().path },
    { PORTOLAN_REDIS_URL: inject('redisUrl'), RATE_LIMIT_READ_PER_MINUTE: '4' },
  )
  expect((await other.request('GET', '/health')).body.checks.redis).toBe('ok')
  const reader = await one.register()
  for (let n = 0; n < 4; n += 1) expect((await reader.get('/tags')).status).toBe(200)
  const refused = await other.as(reader).get('/tags')
  expect([refused.status, Number(refused.headers.get('Retry-After')) > 0]).toEqual([429, true])
})
