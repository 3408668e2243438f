import { expect, it } from 'vitest'
import { Trail, type TrailEntry } from './trail.ts'

const entry = (tool: string, outcome: TrailEntry['outcome'], tokens = 0): TrailEntry => ({
  id: 'x-1',
  server: 'notes',
  tool,
  startedAt: 0,
  outcome,
  tokens,
})

it('says shortly what has run, and what is still under way', () => {
  const trail = new Trail()
  trail.entries.push(
    entry('list', 'ok', 10),
    entry('add', 'ok', 1),
    entry('add', 'failed'),
    entry('add', 'ok', 2),
    entry('send', 'running'),
    entry('drop', 'planned'),
  )
  expect(trail.summary()).toEqual([
    'notes.list',
    'notes.add ×2',
    'notes.add (failed)',
    'notes.send (sent, not answered)',
    'notes.drop (planned, not sent)',
  ])
  expect(trail.unfinished()).toEqual(['notes.send'])
  expect(trail.tokens).toBe(13)
})
