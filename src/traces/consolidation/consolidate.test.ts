import { expect, it } from 'vitest'
import { DAY_MS, aTrace, aTracesService } from '../../../test/support/a-traces-service.ts'
import { claimPeriod } from '../../storage/traces/consolidation.ts'
import { findTrace, updateTrace } from '../../storage/traces/trace-rows.ts'
import { convergenceLevel } from './converge.ts'
import { extractPattern } from './extract-pattern.ts'

it('runs once per period, however often and however many ask', async () => {
  const traces = await aTracesService()
  const author = await traces.account()
  await author.post('/traces', aTrace())
  const runs = await Promise.all([traces.consolidate(), traces.consolidate(), traces.consolidate()])
  expect(runs.filter((run) => run !== undefined)).toHaveLength(1)
  traces.travel(DAY_MS)
  expect(await traces.consolidate()).toMatchObject({ traces: 1 })
  traces.travel(DAY_MS)
  expect(await traces.consolidate()).toMatchObject({ traces: 1 })
})

it('takes up a run that died half-way, and ages no trace twice', async () => {
  const traces = await aTracesService()
  const author = await traces.account()
  const { body } = await author.post('/traces', aTrace())
  const { db } = traces.storage
  const period = Math.floor(traces.deps.now() / DAY_MS)
  await claimPeriod(db, period, { now: traces.deps.now(), abandonedBefore: 0 })
  await updateTrace(db, body.id, { consolidated_period: period, trust_score: 0.5 })
  expect(await traces.consolidate()).toBeUndefined()
  await db.updateTable('consolidation_runs').set({ started_at: 1 }).execute()
  expect(await traces.consolidate()).toMatchObject({ traces: 0 })
  expect((await findTrace(db, body.id))?.trust_score).toBe(0.5)
})

it('counts use together from the log each time, so links do not grow by themselves', async () => {
  const traces = await aTracesService()
  const [author, reader] = [await traces.account(), await traces.account()]
  const one = (await author.post('/traces', aTrace())).body.id
  const two = (await author.post('/traces', aTrace())).body.id
  await reader.get(`/traces/${one}`)
  await reader.get(`/traces/${two}`)
  for (let day = 0; day < 3; day += 1) {
    await traces.consolidate()
    const { body } = await author.get(`/traces/${one}`)
    expect(body.related_traces).toEqual([
      expect.objectContaining({ id: two, relationship_type: 'CO_RETRIEVED', strength: 1 }),
    ])
    traces.travel(DAY_MS)
  }
})

it('freezes what is overdue for review, and hides what everybody distrusts', async () => {
  const traces = await aTracesService()
  const author = await traces.account()
  const overdue = (await author.post('/traces', aTrace({ review_after: '2020-01-01T00:00:00Z' })))
    .body.id
  const distrusted = (await author.post('/traces', aTrace())).body.id
  await updateTrace(traces.storage.db, distrusted, { trust_score: -3 })
  await traces.consolidate()
  expect((await author.get(`/traces/${overdue}`)).body).toMatchObject({
    memory_temperature: 'FROZEN',
    is_stale: true,
  })
  expect((await author.get(`/traces/${distrusted}`)).body.is_flagged).toBe(true)
})

it('cools down what nobody uses', async () => {
  const traces = await aTracesService()
  const author = await traces.account()
  const { body } = await author.post('/traces', aTrace())
  const temperature = async () => {
    await traces.consolidate()
    return (await author.get(`/traces/${body.id}`)).body.memory_temperature
  }
  expect(await temperature()).toBe('WARM')
  traces.travel(60 * DAY_MS)
  expect(await temperature()).toBe('COOL')
  traces.travel(60 * DAY_MS)
  expect(await temperature()).toBe('COLD')
})

it('shows the trends of the latest period only', async () => {
  const traces = await aTracesService()
  const author = await traces.account()
  for (let n = 0; n < 3; n += 1) await author.post('/traces', aTrace({ tags: ['wasm'] }))
  await traces.consolidate()
  const trending = async () => (await author.get('/tags/trending')).body.trending
  expect(await trending()).toEqual([
    expect.objectContaining({ tag: 'wasm', trace_count: 3, prior_count: 0 }),
  ])
  traces.travel(7 * DAY_MS)
  for (let n = 0; n < 4; n += 1) await author.post('/traces', aTrace({ tags: ['htmx'] }))
  await traces.consolidate()
  expect((await trending()).map(({ tag }: { tag: string }) => tag)).toEqual(['htmx'])
})

it.each([
  [0, [{ language: 'go' }, { language: 'rust' }]],
  [
    1,
    [
      { framework: 'react', os: 'linux' },
      { framework: 'vue', os: 'macos' },
    ],
  ],
  [2, [{ framework: 'react' }, { framework: 'vue' }]],
  [3, [{ os: 'linux' }, { os: 'macos' }]],
  [4, [{ os: 'linux' }, { os: 'linux' }]],
])('converges on level %i from %j', (level, places) => {
  expect(convergenceLevel(places)).toBe(level)
})

it('writes down a pattern that several trusted traces share, once', async () => {
  const traces = await aTracesService()
  const author = await traces.account()
  for (let n = 0; n < 3; n += 1) {
    const { body } = await author.post('/traces', aTrace({ tags: ['postgres', `t${n}`] }))
    await updateTrace(traces.storage.db, body.id, { convergence_cluster_id: 'c', trust_score: 1 })
  }
  expect(await extractPattern(traces.deps, 'c')).toBe(true)
  expect(await extractPattern(traces.deps, 'c')).toBe(false)
  const { body } = await author.post('/traces/search', { q: 'Pattern connection pool exhausted' })
  const pattern = body.results.find(
    (trace: { trace_type: string }) => trace.trace_type === 'pattern',
  )
  expect(pattern).toMatchObject({
    status: 'validated',
    trust_score: 0.8,
    contributor_name: 'Patterns',
  })
})
