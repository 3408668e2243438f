import { expect, it, onTestFinished } from 'vitest'
import { sendJson, serveHttp } from '../../../../../test/support/http-server.ts'
import { DAY_MS, aTracesService } from '../../../../../test/support/a-traces-service.ts'
import { storeTraces } from '../../../../../test/support/store-traces.ts'
import { aTrace } from '../../../../../test/support/traces-client.ts'
import { claimPeriod } from '../../../../storage/traces/consolidation.ts'
import type { Relationship } from '../../../../storage/traces/relationships.ts'
import { findTrace, updateTrace } from '../../../../storage/traces/trace-rows.ts'
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

it('waits its time after a run, even when the next period begins the minute after', async () => {
  const traces = await aTracesService()
  const untilMidnight = DAY_MS - (traces.deps.now() % DAY_MS)
  traces.travel(untilMidnight - 60_000)
  expect(await traces.consolidate()).toBeDefined()
  traces.travel(2 * 60_000)
  expect(await traces.consolidate()).toBeUndefined()
  traces.travel(DAY_MS - 60_000)
  expect(await traces.consolidate()).toBeDefined()
})

it('goes on when the owner makes the periods longer', async () => {
  const hourly = await aTracesService({ settings: { consolidationIntervalHours: 1 } })
  await (await hourly.account()).contribute()
  expect(await hourly.consolidate()).toMatchObject({ traces: 1 })
  const daily = await aTracesService({ place: hourly.place })
  daily.travel(DAY_MS)
  expect(await daily.consolidate()).toMatchObject({ traces: 1 })
})

it('takes up a run that died half-way, and ages no trace twice', async () => {
  const traces = await aTracesService()
  const author = await traces.account()
  const { body } = await author.post('/traces', aTrace())
  const { db } = traces.storage
  const period = Math.floor(traces.deps.now() / DAY_MS) * 24 * 60
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
  traces.travel(30 * DAY_MS)
  await traces.consolidate()
  expect((await author.get(`/traces/${one}`)).body.related_traces).toEqual([])
})

it('puts what readers keep passing over behind what they choose, however it is counted', async () => {
  const traces = await aTracesService()
  const author = await traces.account()
  const texts = {
    context_text: 'The frobnicator stalls whenever the queue is drained twice in a row.',
    tags: ['frobnicator'],
  }
  const first = await author.contribute({ title: 'Frobnicator stalls on drain', ...texts })
  const second = await author.contribute({ title: 'Frobnicator drain, a note', ...texts })
  const readers = [await traces.account(), await traces.account()]
  const query = { q: 'frobnicator stalls on drain' }
  const order = async () =>
    (await author.post('/traces/search', query)).body.results.map(({ id }: { id: string }) => id)
  expect(await order()).toEqual([first, second])

  for (let day = 0; day < 2; day += 1) {
    for (const reader of readers) {
      await reader.post('/traces/search', query)
      for (let n = 0; n < 3; n += 1) await reader.get(`/traces/${second}`)
    }
    // Three times a day by each is still once a day by each: two sessions are not enough.
    expect(await traces.consolidate()).toMatchObject({ preferences: day })
    traces.travel(DAY_MS)
  }
  expect(await order()).toEqual([second, first])
  expect(await traces.consolidate()).toMatchObject({ preferences: 1 })
  traces.travel(40 * DAY_MS)
  expect(await traces.consolidate()).toMatchObject({ preferences: 0 })
  expect(await order()).toEqual([first, second])
})

it('counts the use of a trace that stood below one which a moderator has deleted since', async () => {
  const traces = await aTracesService()
  const [author, reader] = [await traces.account(), await traces.account()]
  const moderator = await traces.account({ moderator: true })
  const context_text = 'The sprocket fails to turn around when it is cold.'
  const [first, second, third] = [
    await author.contribute({ title: 'Sprocket fails to turn around', context_text }),
    await author.contribute({ title: 'Sprocket fails, a note', context_text }),
    await author.contribute({ title: 'A sprocket', context_text }),
  ]
  const { body } = await reader.post('/traces/search', { q: 'sprocket fails to turn around' })
  expect(body.results.map(({ id }: { id: string }) => id)).toEqual([first, second, third])
  await moderator.delete(`/moderation/traces/${first}`)
  await reader.get(`/traces/${third}`)
  expect((await author.get(`/traces/${third}`)).body.retrieval_count).toBe(1)
  const passed = await traces.storage.db.selectFrom('passed_over').select('loser_id').execute()
  expect(passed).toEqual([{ loser_id: second }])
})

it('casts no shadow for new accounts, for one reader alone, nor on what is opened after all', async () => {
  const traces = await aTracesService({ settings: { establishedAfterHours: 240 } })
  const author = await traces.account()
  const first = await author.contribute({ title: 'Gizmo fails to boot' })
  const second = await author.contribute({ title: 'Gizmo boot remark' })
  const [alone, fair] = [await traces.account(), await traces.account()]
  const strangers = [await traces.account({ isNew: true }), await traces.account({ isNew: true })]
  for (let day = 0; day < 4; day += 1) {
    for (const reader of [alone, fair, ...strangers]) {
      await reader.post('/traces/search', { q: 'gizmo fails to boot' })
      await reader.get(`/traces/${second}`)
    }
    await fair.get(`/traces/${first}`)
    traces.travel(DAY_MS)
  }
  const passed = await traces.storage.db.selectFrom('passed_over').selectAll().execute()
  expect(passed.map(({ account_id }) => account_id)).toEqual(Array(4).fill(alone.id))
  expect(await traces.consolidate()).toMatchObject({ preferences: 0 })
})

it('does not undo a vote that is cast while it works', async () => {
  // It asks the registry between reading a trace and writing it: just then somebody votes.
  const votes: (() => Promise<unknown>)[] = []
  const registry = await serveHttp((_, response) => {
    void Promise.all(votes.map(async (vote) => vote())).then(() => sendJson(response, {}, 500))
  })
  onTestFinished(async () => registry[Symbol.asyncDispose]())
  const traces = await aTracesService({ settings: { packageRegistryUrl: registry.url } })
  const [author, voter] = [await traces.account(), await traces.account()]
  const metadata_json = { library: 'django', library_version: '1.0' }
  const id = await author.contribute({ metadata_json })
  await traces.settle()
  votes.push(async () => voter.post(`/traces/${id}/votes`, { vote_type: 'up' }))
  expect(await traces.consolidate()).toMatchObject({ traces: 1 })
  expect((await findTrace(traces.storage.db, id))?.trust_score).toBeCloseTo(0.1)
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

function between(links: readonly Relationship[], from: string, to: string): string[] {
  return links.flatMap(({ source_id, target_id, type }) =>
    source_id === from && target_id === to ? [type] : [],
  )
}

it('links what met the same problem, and writes down what they have in common, once there are many', async () => {
  const traces = await aTracesService()
  const { db } = traces.storage
  const author = await traces.account()
  const problem = {
    title: 'Zeppelin mooring line snaps in gusts',
    context_text: 'The mooring line of the zeppelin snaps whenever gusts come from the side.',
  }
  const learn = async (language: string, solution_text: string, trust_score: number) => {
    const id = await author.contribute({ ...problem, solution_text, metadata_json: { language } })
    await updateTrace(db, id, { trust_score })
    return id
  }
  const first = await learn('go', 'Splice a second rope of hemp beside the old one.', 2)
  const second = await learn('rust', 'Turn the hull into the wind before anybody lands.', 2)
  const wrong = await learn('go', 'Nothing helps but waiting until tomorrow morning.', -1)
  await traces.consolidate()
  expect((await author.get(`/traces/${first}`)).body.convergence_level).toBeNull()

  await storeTraces(traces, author.id, 1000)
  traces.travel(DAY_MS)
  expect(await traces.consolidate()).toMatchObject({ traces: 1003, patterns: 1 })
  const { body } = await author.get(`/traces/${first}`)
  // Met in two languages: the most general there is.
  expect(body.convergence_level).toBe(0)
  expect(body.trust_score).toBeCloseTo(2 * 0.995)
  const links = await db.selectFrom('relationships').selectAll().execute()
  expect(between(links, first, second)).toEqual(['ALTERNATIVE_TO'])
  expect(between(links, second, first)).toEqual(['ALTERNATIVE_TO'])
  expect(between(links, first, wrong)).toEqual(['CONTRADICTS'])
  const pattern = links.find(({ type }) => type === 'PATTERN_SOURCE')?.source_id ?? ''
  expect([first, second, wrong].flatMap((id) => between(links, pattern, id))).toEqual(
    Array(3).fill('PATTERN_SOURCE'),
  )
  expect((await author.get(`/traces/${pattern}`)).body).toMatchObject({
    title: `Pattern: ${problem.title}`,
    trace_type: 'pattern',
    status: 'validated',
    contributor_id: '00000000-0000-0000-0000-000000000001',
  })
  // Again: nothing is made twice, and who has regained trust contradicts no longer.
  await updateTrace(db, wrong, { trust_score: 0 })
  traces.travel(DAY_MS)
  expect(await traces.consolidate()).toMatchObject({ traces: 1004, patterns: 0 })
  const now = await db.selectFrom('relationships').selectAll().execute()
  expect(between(now, first, wrong)).toEqual(['ALTERNATIVE_TO'])
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
