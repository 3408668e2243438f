import { expect, it } from 'vitest'
import { Canceller } from '../../base/flow/signal.ts'
import { selectInText } from './select-thread.ts'

it('lets no agent wait for the slow expressions of another', async () => {
  const items = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `item ${id % 1000}` }))
  const slow = { data: JSON.stringify(items), expression: 'length(sort_by(@, &name))' }
  const quick = { data: '{"a": 1}', expression: 'a' }
  // Both threads have started before the order counts.
  await Promise.all(['mallory', 'ada'].map(async (agent) => selectInText(agent, quick)))
  const order: string[] = []
  const run = async (agent: string, request: typeof slow) => {
    const found = await selectInText(agent, request)
    order.push(agent)
    return found
  }
  const many = Array.from({ length: 6 }, async () => run('mallory', slow))
  expect(await run('ada', quick)).toBe('1')
  expect(order.filter((agent) => agent === 'mallory').length).toBeLessThan(3)
  expect(await Promise.all(many)).toEqual(many.map(() => '100000'))
})

it('does not run an expression whose caller has gone while it waited', async () => {
  const items = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `item ${id % 1000}` }))
  const slow = { data: JSON.stringify(items), expression: 'length(sort_by(@, &name))' }
  const first = selectInText('ada', slow)
  const caller = new Canceller()
  const second = selectInText('ada', slow, caller)
  caller.abort(new Error('gone'))
  await expect(second).rejects.toThrow('gone')
  expect(await first).toBe('100000')
  expect(await selectInText('ada', { data: '{"a": 1}', expression: 'a' })).toBe('1')
})
