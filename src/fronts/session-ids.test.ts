import { expect, it } from 'vitest'
import { MAX_SESSION_ID, MAX_SESSION_MS, createSessionIds, toClientFacts } from './session-ids.ts'

const secret = (fill: number) => () => Buffer.alloc(32, fill)
const ids = createSessionIds(secret(1))
const FACTS = toClientFacts({
  clientInfo: { name: 'an editor', version: '1.2' },
  capabilities: { roots: { listChanged: true }, sampling: {} },
})

it('holds what the client said of itself, for every process with the same secret', () => {
  const { id, ...rest } = ids.create('ada', FACTS)
  expect(createSessionIds(secret(1)).open(id, 'ada')).toEqual({ ...rest, facts: FACTS })
  expect(FACTS).toEqual({
    info: { name: 'an editor', version: '1.2' },
    capabilities: { roots: { listChanged: true }, sampling: {} },
  })
  // Visible ASCII, and short enough for logs and headers.
  expect(id).toMatch(/^ptm_[\w-]{100,400}$/)
})

it('is for its owner only, and for one installation', () => {
  const { id } = ids.create('ada', FACTS)
  expect(ids.open(id, 'eve')).toBeUndefined()
  expect(ids.open(id, '')).toBeUndefined()
  expect(createSessionIds(secret(2)).open(id, 'ada')).toBeUndefined()
  expect(ids.open(id.slice(0, -1), 'ada')).toBeUndefined()
  expect(ids.open(ids.create('', FACTS).id, '')).toMatchObject({ facts: FACTS })
})

it('expires', () => {
  let now = 1_000
  const timed = createSessionIds(secret(1), () => now)
  const { id } = timed.create('ada', FACTS)
  now += MAX_SESSION_MS
  expect(timed.open(id, 'ada')).toBeDefined()
  now += 1
  expect(timed.open(id, 'ada')).toBeUndefined()
})

it('names every session differently, by a key that does not tell the id', () => {
  const [one, two] = [ids.create('ada', FACTS), ids.create('ada', FACTS)]
  expect(one.key).not.toBe(two.key)
  expect(one.key).toHaveLength(16)
})

it.each([
  ['no facts', {}],
  ['facts that are none', { clientInfo: 'me', capabilities: [] }],
  [
    'a megabyte of info',
    { clientInfo: { name: 'x'.repeat(1 << 20), icons: ['y'.repeat(1 << 20)] } },
  ],
  [
    'control characters',
    { clientInfo: { name: '\u0000'.repeat(500), version: '\u0001'.repeat(500) } },
  ],
  ['many capabilities', { capabilities: Object.fromEntries(manyMembers(10_000)) }],
  ['large capabilities', { capabilities: { experimental: { a: 'x'.repeat(1 << 20) }, roots: {} } }],
  ['wide characters', { clientInfo: { name: '錨'.repeat(999), version: '🚢'.repeat(999) } }],
])('has at most 2 KB with %s', (_, params) => {
  const { id } = ids.create('x'.repeat(10_000), toClientFacts(params))
  expect(id.length).toBeLessThanOrEqual(MAX_SESSION_ID)
  expect(ids.open(id, 'x'.repeat(10_000))).toBeDefined()
})

it('leaves out what is too large, and keeps the rest', () => {
  const { info, capabilities } = toClientFacts({
    clientInfo: { icons: ['x'.repeat(5_000)], name: 'n'.repeat(100), version: '1' },
    capabilities: { experimental: { a: 'x'.repeat(5_000) }, roots: { listChanged: true } },
  })
  expect(info).toEqual({ name: 'n'.repeat(80), version: '1' })
  expect(capabilities).toEqual({ roots: { listChanged: true } })
})

function manyMembers(count: number): [string, object][] {
  return Array.from({ length: count }, (_, n) => [`member ${n}`, {}])
}
