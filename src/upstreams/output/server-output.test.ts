import { expect, it } from 'vitest'
import { RecentLines } from './server-output.ts'

it('keeps the last lines, oldest first, with their times', () => {
  const recent = new RecentLines()
  for (let n = 1; n <= 1000; n++) recent.add(`line ${n}`)
  expect(recent.lines).toHaveLength(200)
  expect(recent.lines[0]).toEqual({ at: expect.any(Number), text: 'line 801' })
  expect(recent.lines.at(-1)?.text).toBe('line 1000')
})

it('stays within its length, however long the lines are', () => {
  const recent = new RecentLines()
  for (let n = 0; n < 100; n++) recent.add('x'.repeat(1_000_000))
  const chars = recent.lines.reduce((sum, { text }) => sum + text.length, 0)
  expect(chars).toBeLessThanOrEqual(32_000)
  expect(recent.lines.length).toBeGreaterThan(10)
  recent.add('short')
  expect(recent.lines.at(-1)?.text).toBe('short')
})
