import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { toAuditEntry } from '../audit/audit-entry.ts'
import { createFileHistory } from './file-history.ts'
import type { Prices } from './prices.ts'

function aHistory(first: Prices = { tokens: {}, calls: {} }) {
  const path = tempFolder().file('audit.jsonl')
  let prices = first
  const history = createFileHistory({
    path,
    keep: 2,
    prices: () => prices,
    flush: async () => undefined,
  })
  onTestFinished(async () => history.close())
  return { path, history, setPrices: (next: Prices) => (prices = next) }
}

let count = 0

function lines(calls: number, tool = 'read'): string {
  return Array.from({ length: calls }, () =>
    toAuditEntry({
      id: `c${++count}`,
      startedAt: Date.now() - 5_000,
      operation: 'tools/call',
      agent: 'ada',
      server: 'files',
      tool,
      decision: 'ALLOW',
      tokenCount: 1_000,
    }),
  ).join('')
}

it('counts what every process has written, before and after a rotation, each line once', async () => {
  const { path, history } = aHistory()
  const calls = async () => (await history.read('24h')).all.calls
  expect(await calls()).toBe(0)
  writeFileSync(path, lines(3))
  expect(await calls()).toBe(3)
  // A process that was killed leaves a part of a line.
  appendFileSync(path, `${lines(2)}{"timestamp":"2026`)
  expect(await calls()).toBe(5)
  renameSync(path, `${path}.1`)
  writeFileSync(path, lines(4, 'write'))
  expect(await calls()).toBe(9)
  expect(await calls()).toBe(9)
  const { tools, share, sinceMs } = await history.read('30d')
  expect(tools.map(({ name, calls: n }) => [name, n])).toEqual([
    ['files/read', 5],
    ['files/write', 4],
  ])
  expect(share).toBe(1)
  expect(sinceMs).toBeLessThan(Date.now())
})

it('begins again with other prices, and after it was idle for long', async () => {
  const { path, history, setPrices } = aHistory()
  writeFileSync(path, lines(2))
  expect((await history.read('24h')).all.money).toBe(0)
  setPrices({ tokens: { '*': 1_000 }, calls: {} })
  expect((await history.read('24h')).all.money).toBe(2)
  expect((await history.read('24h')).all.calls).toBe(2)
})

it('answers with what it has while a long record is being counted', async () => {
  const { path, history } = aHistory()
  const some = lines(2_000)
  writeFileSync(path, '')
  for (let n = 0; n < 100; n++) appendFileSync(path, some)
  const first = await history.read('24h')
  expect(first.all.calls).toBeLessThan(200_000)
  expect(first.share).toBeLessThan(1)
  await expect
    .poll(async () => (await history.read('24h')).share, { timeout: 60_000, interval: 200 })
    .toBe(1)
  expect((await history.read('24h')).all.calls).toBe(200_000)
})
