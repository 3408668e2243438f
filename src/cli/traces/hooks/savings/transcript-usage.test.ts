import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder.ts'
import { costOf } from './savings.ts'
import { tokensBetween } from './transcript-usage.ts'

const NOON = Date.parse('2026-01-01T12:00:00Z')

function said(minute: number, id: string, usage: Record<string, number>): string {
  const timestamp = new Date(NOON + minute * 60_000).toISOString()
  return JSON.stringify({ type: 'assistant', timestamp, message: { id, usage, content: [] } })
}

async function aTranscript(lines: readonly string[]): Promise<string> {
  const file = tempFolder().file('transcript.jsonl')
  await writeFile(file, `${lines.join('\n')}\n`)
  return file
}

it('adds up what was used in the window, each message once, and no reading from the cache', async () => {
  const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 100 }
  const file = await aTranscript([
    said(-1, 'before', { input_tokens: 7_000 }),
    said(1, 'one', { ...usage, cache_read_input_tokens: 90_000 }),
    said(1, 'one', { ...usage, cache_read_input_tokens: 90_000 }),
    JSON.stringify({ type: 'user', timestamp: new Date(NOON).toISOString(), message: {} }),
    'torn {"usage"',
    said(2, 'two', { output_tokens: 40 }),
    said(9, 'after', { input_tokens: 7_000 }),
  ])
  expect(await tokensBetween(file, NOON, NOON + 5 * 60_000)).toBe(155)
})

it('reads a long transcript from its end, and no further back than it must', async () => {
  const filler = JSON.stringify({ type: 'user', content: 'é'.repeat(700_000) })
  const many = [
    said(0, 'early', { output_tokens: 1 }),
    ...Array.from({ length: 4 }, () => filler),
    said(1, 'first', { output_tokens: 2 }),
    filler,
    said(2, 'last', { output_tokens: 4 }),
  ]
  expect(await tokensBetween(await aTranscript(many), NOON + 30_000, NOON + 180_000)).toBe(6)
})

it('caps what one event may count for, and does without a transcript', async () => {
  const file = await aTranscript([said(1, 'huge', { input_tokens: 9_000_000 })])
  const day = 24 * 3_600_000
  expect(await costOf(file, NOON, NOON + day)).toEqual({ tokens: 2_000_000, minutes: 120 })
  expect(await costOf('/nowhere', NOON, NOON + 90_000)).toEqual({ tokens: 0, minutes: 1.5 })
  expect(await costOf(undefined, NOON, NOON)).toEqual({ tokens: 0, minutes: 0 })
})
