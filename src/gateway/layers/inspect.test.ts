import { expect, it } from 'vitest'
import { aCall } from '../../../test/support/a-call.ts'
import { type ScanText, SUSPECT_META, inspect } from './inspect.ts'

const scan: ScanText = (text) =>
  (['high', 'medium', 'low'] as const)
    .filter((each) => text.includes(`${each} order`))
    .map((each) => ({ class: each, rule: 'r', quote: text, reason: 'orders' }))

const next = async () => ({ content: [] })

const answered = async (result: object) => {
  const call = aCall()
  return { call, result: await inspect(scan)(async () => ({ ...result }))(call) }
}

it.each([
  ['a content block', { content: [{ type: 'text', text: 'a high order' }] }],
  ['an embedded resource', { content: [{ type: 'resource', resource: { text: 'high order' } }] }],
  ['a resource that was read', { contents: [{ uri: 'a:b', text: 'a medium order' }] }],
  ['a prompt', { messages: [{ role: 'user', content: { type: 'text', text: 'high order' } }] }],
])('marks what is suspect in %s, and changes nothing else', async (_, given) => {
  const { call, result } = await answered({ ...given, _meta: { own: 1 } })
  const { _meta: meta, ...rest } = result
  expect(rest).toEqual(given)
  expect(meta).toMatchObject({ own: 1, [SUSPECT_META]: [{ rule: 'r', reason: 'orders' }] })
  expect(call.event.suspects).toBe(1)
})

it('leaves a result as it is without findings, or with such as are only worth knowing', async () => {
  for (const text of ['an answer', 'a low order']) {
    const { call, result } = await answered({ content: [{ type: 'text', text }] })
    expect(result).toEqual({ content: [{ type: 'text', text }] })
    expect(call.event.suspects).toBeUndefined()
  }
})

it('adds nothing to a call where results are not scanned', () => {
  expect(inspect(undefined)(next)).toBe(next)
})
