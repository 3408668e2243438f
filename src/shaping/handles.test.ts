import { describe, expect, it } from 'vitest'
import { stringifyExact } from '../base/exact-json.ts'
import { createHandles } from './handles.ts'
import { createMemoryStore } from './handles/result-store.ts'
import { countTokens } from './tokens.ts'

function kept(options = { ttlMs: 60_000, maxBytes: 1 << 24 }) {
  return createHandles(createMemoryStore(options))
}

const result = (value: unknown) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
})

const items = Array.from({ length: 500 }, (_, id) => ({ id, state: id % 2 ? 'open' : 'closed' }))

it('gives the original back to the agent that made the call', async () => {
  const handles = kept()
  const original = result({ items })
  const handle = await handles.keep(original, 'ada')
  expect(await handles.original(handle, 'ada')).toBe(original)
})

it('tells another agent the same as for a handle that never was', async () => {
  const handles = kept()
  const handle = await handles.keep(result({ items }), 'ada')
  await expect(handles.read(handle, 'bob')).rejects.toMatchObject({
    code: 'RESULT_GONE',
    details: { hint: expect.stringContaining('call the tool again') },
  })
})

it('forgets after the time to live, and the least recently read when bytes run out', async () => {
  const brief = kept({ ttlMs: 1, maxBytes: 1 << 20 })
  const gone = await brief.keep(result('x'), 'ada')
  await new Promise((resolve) => setTimeout(resolve, 20))
  await expect(brief.original(gone, 'ada')).rejects.toMatchObject({ code: 'RESULT_GONE' })

  const small = kept({ ttlMs: 60_000, maxBytes: 3000 })
  const first = await small.keep(result('a'.repeat(1000)), 'ada')
  const second = await small.keep(result('b'.repeat(1000)), 'ada')
  await small.original(first, 'ada')
  await small.keep(result('c'.repeat(1000)), 'ada')
  await expect(small.original(first, 'ada')).resolves.toBeDefined()
  await expect(small.original(second, 'ada')).rejects.toMatchObject({ code: 'RESULT_GONE' })
})

it('projects with JMESPath and pages through a list until all of it was read', async () => {
  const handles = kept()
  const handle = await handles.keep(result({ items }), 'ada')
  const read: unknown[] = []
  for (let offset: unknown = 0; typeof offset === 'number';) {
    const page = await handles.read(handle, 'ada', {
      select: "items[?state=='open'].id",
      offset,
      maxTokens: 300,
    })
    expect(page).toMatchObject({ total: 250, offset })
    expect(countTokens(JSON.stringify(page))).toBeLessThanOrEqual(300)
    if (Array.isArray(page['data'])) read.push(...page['data'])
    offset = page['next_offset']
  }
  expect(read).toEqual(items.filter(({ state }) => state === 'open').map(({ id }) => id))
})

it('reads the lines of a text, and finds lines by words', async () => {
  const handles = kept()
  const text = Array.from({ length: 1000 }, (_, i) => `line ${i}${i % 100 ? '' : ' ERROR'}`)
  const handle = await handles.keep(result(text.join('\n')), 'ada')
  expect(await handles.read(handle, 'ada', { offset: 10, limit: 2 })).toMatchObject({
    total: 1000,
    next_offset: 12,
    data: 'line 10\nline 11',
  })
  expect(await handles.read(handle, 'ada', { grep: 'error', limit: 2 })).toMatchObject({
    total: 10,
    data: [
      { at: 1, value: 'line 0 ERROR' },
      { at: 101, value: 'line 100 ERROR' },
    ],
  })
})

it('finds fields of JSON by name or value, with their paths', async () => {
  const handles = kept()
  const handle = await handles.keep(
    result({ a: { 'b c': ['x', 'Needle'] }, needle_count: 1 }),
    'ada',
  )
  expect(await handles.read(handle, 'ada', { grep: 'needle' })).toMatchObject({
    data: [
      { at: 'a."b c"[1]', value: 'Needle' },
      { at: 'needle_count', value: 1 },
    ],
  })
})

it('summarises a single value that is larger than the page', async () => {
  const handles = kept()
  const handle = await handles.keep(result({ text: 'word '.repeat(5000), id: 7 }), 'ada')
  const page = await handles.read(handle, 'ada', { maxTokens: 200 })
  expect(page['data']).toMatchObject({ id: 7, _summarized: true, _handle: handle })
  expect(countTokens(JSON.stringify(page))).toBeLessThanOrEqual(200)
})

it.each([
  ['items[', 'Write JMESPath'],
  ['[@,@][]|'.repeat(40) + '@', 'Write JMESPath'],
  ['map(&length($), items)', 'Write JMESPath'],
  ["pad_left('x', `1000000000`)", 'Write JMESPath'],
])('refuses the expression %s before it can do harm', async (select, hint) => {
  const handles = kept()
  const handle = await handles.keep(result({ items }), 'ada')
  await expect(handles.read(handle, 'ada', { select })).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
    details: { hint: expect.stringContaining(hint) },
  })
})

describe('numbers that no double can hold', () => {
  const rows = ['9007199254740993', '9007199254740992', '9007199254740994', '9007199254740995']
  const text = `{"rows":[${rows.map((id, n) => `{"id":${id},"n":${n}}`).join(',')}],"huge":1e400}`

  async function reading(select: string): Promise<string> {
    const handles = kept()
    const handle = await handles.keep(result(text), 'ada')
    const { data } = await handles.read(handle, 'ada', { select })
    return stringifyExact(data)
  }

  it.each([
    ['rows[].id', `[${rows.join(',')}]`],
    ['rows[?id==`9007199254740993`].n', '[0]'],
    ['rows[?id==`9007199254740992`].n', '[1]'],
    ['rows[?id>`9007199254740993`].n', '[2,3]'],
    ['rows[?id!=`12345678901234567890`].n', '[0,1,2,3]'],
    ['sort_by(rows, &id)[].n', '[1,0,2,3]'],
    ['max(rows[].id)', '9007199254740995'],
    ['rows[0].to_string(id)', '"9007199254740993"'],
    ['to_string(rows[0])', '"{\\"id\\":9007199254740993,\\"n\\":0}"'],
    ['type(rows[0].id)', '"number"'],
    ['huge', '1e400'],
    ['length(rows)', '4'],
  ])('%s', async (select, expected) => {
    expect(await reading(select)).toBe(expected)
  })

  it('are found by their digits, and are leaves', async () => {
    const handles = kept()
    const handle = await handles.keep(result(text), 'ada')
    const { data } = await handles.read(handle, 'ada', { grep: '0993' })
    expect(stringifyExact(data)).toBe('[{"at":"rows[0].id","value":9007199254740993}]')
  })
})
