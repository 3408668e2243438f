import { expect, it } from 'vitest'
import { anEvent } from '../../test/support/a-call.ts'
import { createFeed } from './feed.ts'
import { createLedger, isTraffic, UnknownCallers } from './ledger.ts'
import { createMetrics } from './metrics/metrics.ts'

const quiet = () => {}

it('shows one event to every reader', () => {
  const metrics = createMetrics()
  const feed = createFeed()
  createLedger({ metrics, feed }).record(anEvent({ id: 'one', decision: 'ALLOW' }))
  expect(metrics.summary().calls.decisions.ALLOW).toBe(1)
  expect(feed.recent()).toMatchObject([{ id: 'one' }])
})

it('goes on when a reader throws, and says so once', () => {
  const feed = createFeed()
  const complaints: string[] = []
  const log = {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (text: string) => complaints.push(text),
  }
  feed.listen(() => {
    throw new Error('a broken listener')
  })
  const ledger = createLedger({ feed, log })
  ledger.record(anEvent())
  ledger.record(anEvent())
  expect(feed.recent()).toHaveLength(2)
  expect(complaints).toHaveLength(1)
})

it('hides secrets from whoever watches', () => {
  const feed = createFeed()
  createLedger({ feed }).record(anEvent({ error: 'login with password=hunter22 failed' }))
  expect(feed.recent()).toMatchObject([{ error: 'login with password=[redacted] failed' }])
})

it('keeps only the newest events, oldest first', () => {
  const feed = createFeed(3)
  const heard: string[] = []
  const stop = feed.listen(({ id }) => heard.push(id))
  for (const id of ['a', 'b', 'c', 'd']) feed.record(anEvent({ id }))
  stop()
  feed.record(anEvent({ id: 'e' }))
  expect(feed.recent().map(({ id }) => id)).toEqual(['c', 'd', 'e'])
  expect(heard).toEqual(['a', 'b', 'c', 'd'])
})

it('records what people do on the dashboard without counting it as traffic', () => {
  const metrics = createMetrics()
  const feed = createFeed()
  const recorded: string[] = []
  const more = { record: ({ id }: { id: string }) => void recorded.push(id) }
  const ledger = createLedger({ metrics, feed, more })
  ledger.record(anEvent({ id: 'looked', operation: 'dashboard', decision: 'ALLOW' }))
  ledger.record(anEvent({ id: 'called', decision: 'ALLOW' }))
  expect(recorded).toEqual(['looked', 'called'])
  expect(metrics.summary().calls.decisions.ALLOW).toBe(1)
  expect(feed.recent()).toMatchObject([{ id: 'looked' }, { id: 'called' }])
  expect(feed.recent().filter(isTraffic)).toMatchObject([{ id: 'called' }])
})

it('counts every refused attempt of unknown callers, and records a bounded number', () => {
  const metrics = createMetrics()
  const feed = createFeed(1_000)
  const ledger = createLedger({ metrics, feed })
  for (let n = 0; n < 500; n++) ledger.record(anEvent({ decision: 'DENY' }))
  for (let n = 0; n < 150; n++) ledger.record(anEvent({ decision: 'DENY', agent: 'ada' }))
  expect(metrics.summary().calls.decisions.DENY).toBe(650)
  const recorded = feed.recent()
  expect(recorded.filter(({ agent }) => agent === 'ada')).toHaveLength(150)
  const unknown = recorded.filter(({ agent }) => agent === undefined)
  expect(unknown.length).toBeGreaterThanOrEqual(100)
  expect(unknown.length).toBeLessThan(250)
})

function someCallers() {
  let nowMs = 1_000
  const callers = new UnknownCallers(() => nowMs)
  const refused = () => callers.bound(anEvent({ decision: 'DENY' }))
  return { refused, callers, pass: (ms: number) => (nowMs += ms) }
}

it('records a hundred refused attempts of nobody known at once, then one a second, and counts the others', () => {
  const { refused, pass } = someCallers()
  for (let n = 0; n < 100; n++) expect(refused()).not.toHaveProperty('leftOut')
  expect(refused()).toBeUndefined()
  pass(999)
  expect(refused()).toBeUndefined()
  pass(1)
  expect(refused()).toMatchObject({ decision: 'DENY', leftOut: 2 })
  pass(1_000)
  expect(refused(), 'what was counted is counted once').not.toHaveProperty('leftOut')
})

it('leaves out nothing of agents that are known, and nothing that was allowed', () => {
  const { refused, callers } = someCallers()
  for (let n = 0; n < 200; n++) refused()
  expect(refused()).toBeUndefined()
  const known = anEvent({ decision: 'DENY', agent: 'ada' })
  expect(callers.bound(known)).toBe(known)
  const allowed = anEvent({ decision: 'ALLOW' })
  expect(callers.bound(allowed)).toBe(allowed)
})
