import { expect, it } from 'vitest'
import { openReplicas, openTestDatabase } from '../../../test/support/open-test-database.ts'
import { testResultStore } from '../../../test/support/test-result-store.ts'
import { createMemoryStore } from '../../shaping/handles/result-store.ts'
import { cleanUp } from './housekeeping.ts'

const local = (ttlMs: number) => createMemoryStore({ ttlMs, maxBytes: 1 << 24 })

testResultStore('PostgreSQL', {
  async open({ ttlMs }) {
    const [one, two] = await openReplicas(2)
    if (!one || !two) throw new Error('Two replicas were asked for')
    return [one.results(local(ttlMs), ttlMs), two.results(local(ttlMs), ttlMs)]
  },
})

it('removes results that are over, and the oldest when there are too many bytes', async () => {
  const database = await openTestDatabase()
  const { storage } = database
  const brief = database.results(local(1), 1)
  await brief.put('r_over', { agent: 'ada', result: { content: [] } })
  for (const [index, ttlMs] of [60_000, 70_000, 80_000].entries()) {
    const result = { content: [], pad: 'x'.repeat(1_000) }
    await database.results(local(ttlMs), ttlMs).put(`r_${index}`, { agent: 'ada', result })
  }
  await cleanUp(storage, { auditDays: 1 }, 2_500)
  const left = await storage.db
    .selectFrom('kept_results')
    .select('handle')
    .orderBy('handle')
    .execute()
  expect(left.map(({ handle }) => handle)).toEqual(['r_1', 'r_2'])
})
