import { expect, it } from 'vitest'
import { HeldTask } from './held-task.ts'
import { createTaskIds, standsFor } from './task-ids.ts'

const REF = {
  server: 'jobs',
  tool: 'build',
  owner: 'sub<ada',
  replica: 'r1',
  connection: '',
  upstreamId: 'task-1',
  era: 'legacy',
  heldId: '',
  run: 'a1b2c3d4',
  createdAt: 1_700_000_000_000,
  ttlMs: Infinity,
} as const
const ids = createTaskIds(() => Buffer.alloc(32, 1))

it('opens what it sealed, on every replica that has the same secret', () => {
  const other = createTaskIds(() => Buffer.alloc(32, 1))
  expect(other.open(ids.seal(REF))).toEqual(REF)
})

it('seals one task differently every time, and shows nothing of it', () => {
  const [one, two] = [ids.seal(REF), ids.seal(REF)]
  expect(one).not.toBe(two)
  expect(Buffer.from(one.slice(3), 'base64url').toString('latin1')).not.toContain('task-1')
  // It stands in a header.
  expect(one).toMatch(/^[\w-]+$/)
})

it('opens nothing that is not an id of a task', () => {
  expect(createTaskIds(() => Buffer.alloc(32, 2)).open(ids.seal(REF))).toBeUndefined()
  for (const wrong of ['', 'pt_', 'task-1', 7, undefined]) expect(ids.open(wrong)).toBeUndefined()
})

it.each([
  ['', 'github', 'create_pull_request_review_with_comments'],
  ['a1b2c3d4', 'everything-dev', 'trigger-long-running-operation'],
  ['', 'google-workspace', 'search_gmail_messages'],
])('is short enough for Claude Code: on replica %j, %s.%s', (replica, server, tool) => {
  const owner = 'claude-code on behalf of somebody@example.com'
  const { heldId } = new HeldTask({ owner, ttlMs: 1 })
  const kept = { ...REF, replica, server, tool, owner, heldId, upstreamId: '', ttlMs: 3_600_000 }
  const id = ids.seal(kept)
  expect(id.length).toBeLessThanOrEqual(128)
  const { owner: shown = '', tool: named = '', ...ref } = ids.open(id) ?? {}
  expect({ ...kept, ...ref }).toEqual(kept)
  expect([standsFor(shown, owner), standsFor(named, tool)]).toEqual([true, true])
  expect([standsFor(shown, 'ada'), standsFor(named, 'another')]).toEqual([false, false])
})

it('keeps all of what is too long to be short', () => {
  const long = { ...REF, upstreamId: 'ö'.repeat(400), owner: 'x'.repeat(300) }
  expect(ids.open(ids.seal(long))).toEqual(long)
})
