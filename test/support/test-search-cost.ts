import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Storage } from '../../src/storage/storage.ts'
import { type TracesUnderTest, aTracesService } from './a-traces-service.ts'
import type { TestAccount } from './traces-client.ts'
import { deferred } from './deferred.ts'
import { conceptEmbedder } from './test-semantic-search.ts'
import type { Fresh } from './traces-suite.ts'

/** Searches mostly wait for the database, so the number of queries is part of the contract. */
export function testSearchCost(engine: string, fresh?: Fresh): void {
  describe(`what a search asks of ${engine}`, () => {
    const undone: (() => void | Promise<void>)[] = []
    const later = (undo: () => void | Promise<void>): void => void undone.push(undo)
    const statements = { count: 0 }
    let service: TracesUnderTest
    let reader: TestAccount

    beforeAll(async () => {
      service = await aTracesService({
        ...(fresh && { place: await fresh() }),
        later,
        storage: (opened) => counting(opened, statements),
      })
      reader = await service.account()
      const older = await reader.contribute({ title: 'Pool of connections exhausted' })
      for (let n = 0; n < 12; n += 1) await reader.contribute({ supersedes_trace_id: older })
      await reader.post('/traces/search', { q: 'connection pool' })
    })
    afterAll(async () => {
      for (const undo of undone.toReversed()) await undo()
    })

    const cost = async (body: Record<string, unknown>): Promise<[found: number, asked: number]> => {
      // Pending writes of earlier searches must not count.
      await service.deps.searches.flush()
      statements.count = 0
      const answer = await reader.post('/traces/search', body)
      return [answer.body.results.length, statements.count]
    }

    it('is three things: who asks, what ranks the candidates, and what is shown', async () => {
      expect(await cost({ q: 'connection pool' })).toEqual([10, 3])
      expect(await cost({ q: 'connection pool', tags: ['postgres'] })).toEqual([10, 3])
      expect(await cost({ q: 'connection pool', limit: 1 })).toEqual([1, 3])
      expect(await cost({ q: 'connection pool', limit: 50, context: { os: 'linux' } })).toEqual([
        13, 3,
      ])
    })

    it('is less when nothing is found, and one more when only tags are given', async () => {
      expect(await cost({ q: 'zebra' })).toEqual([0, 2])
      expect(await cost({ tags: ['postgres'] })).toEqual([10, 4])
    })

    it('is more only once after somebody wrote: the index reads what is new', async () => {
      await reader.contribute({ title: 'Zebras in the connection pool' })
      const [found, asked] = await cost({ q: 'zebras' })
      expect([found, asked]).toEqual([1, 7])
      expect(await cost({ q: 'zebras' })).toEqual([1, 3])
    })

    it('is not more because the newest trace has been deleted', async () => {
      const moderator = await service.account({ moderator: true })
      const id = await reader.contribute({ title: 'A giraffe that will be gone' })
      await cost({ q: 'giraffe' })
      await moderator.delete(`/moderation/traces/${id}`)
      await cost({ q: 'connection pool' })
      expect(await cost({ q: 'connection pool' })).toEqual([10, 3])
    })

    it('is one more with an embedder', async () => {
      const sensing = await aTracesService({
        place: service.place,
        later,
        embedder: conceptEmbedder(),
        storage: (opened) => counting(opened, statements),
      })
      while ((await sensing.embed()) > 0);
      const key = { key: reader.key, body: { q: 'connection pool' } }
      await sensing.request('POST', '/api/v1/traces/search', key)
      await sensing.deps.searches.flush()
      statements.count = 0
      const { body } = await sensing.request('POST', '/api/v1/traces/search', key)
      expect([body.results.length, body.degraded, statements.count]).toEqual([10, false, 4])
    })

    it('is nothing that has to wait for a writer, however often somebody searches', async () => {
      const { promise: finished, resolve: finish } = deferred<void>()
      const writing = service.storage.transaction(async (tx) => {
        await tx.insertInto('tags').values({ name: 'held', created_at: 1 }).execute()
        await finished
      })
      for (let n = 0; n < 120; n += 1) {
        const { status, body } = await reader.post('/traces/search', { q: 'connection pool' })
        expect([status, body.total]).toEqual([200, 10])
      }
      finish()
      await writing
    })
  })
}

/** Counts the statements of a storage; a transaction counts as three, the least it takes. */
function counting(storage: Storage, statements: { count: number }): Storage {
  const counter: KyselyPlugin = {
    transformQuery({ node }) {
      statements.count += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return {
    ...storage,
    db: storage.db.withPlugin(counter),
    async transaction(work) {
      statements.count += 3
      return storage.transaction(work)
    },
  }
}
