import { Worker } from 'node:worker_threads'
import { describe, expect, it, vi } from 'vitest'
import { stringifyExact } from '../base/json/exact-json.ts'
import { type ResultReader, createHandles } from './handles.ts'
import { grep } from './handles/grep.ts'
import { createMemoryStore } from './handles/result-store.ts'
import { countTokens } from './tokens.ts'

function kept(options = { ttlMs: 60_000, maxBytes: 1 << 24 }) {
  return createHandles(createMemoryStore(options))
}

const result = (value: unknown) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
})

const ada: ResultReader = { owner: 'ada', mayUse: () => true }
const bob: ResultReader = { owner: 'bob', mayUse: () => true }

const items = Array.from({ length: 500 }, (_, id) => ({ id, state: id % 2 ? 'open' : 'closed' }))

it('gives the original back to the agent that made the call', async () => {
  const handles = kept()
  const original = result({ items })
  const handle = await handles.keep(original, 'ada')
  expect(await handles.original(handle, ada)).toBe(original)
})

it('asks whether the agent may still use what gave the result', async () => {
  const handles = kept()
  const source = { server: 'crm', tool: 'list' }
  const handle = await handles.keep(result({ items }), 'ada', source)
  const mayUse = vi.fn(() => false)
  for (const way of ['read', 'json', 'original'] as const)
    await expect(handles[way](handle, { owner: 'ada', mayUse })).rejects.toMatchObject({
      code: 'RESULT_GONE',
    })
  expect(mayUse.mock.calls).toEqual([[source], [source], [source]])
  expect(await handles.read(handle, ada, { select: 'length(items)' })).toMatchObject({ data: 500 })
})

it('tells another agent the same as for a handle that never was', async () => {
  const handles = kept()
  const handle = await handles.keep(result({ items }), 'ada')
  await expect(handles.read(handle, bob)).rejects.toMatchObject({
    code: 'RESULT_GONE',
    details: { hint: expect.stringContaining('call the tool again') },
  })
})

it('forgets after the time to live, and the least recently read when bytes run out', async () => {
  const brief = kept({ ttlMs: 1, maxBytes: 1 << 20 })
  const gone = await brief.keep(result('x'), 'ada')
  await new Promise((resolve) => setTimeout(resolve, 20))
  await expect(brief.original(gone, ada)).rejects.toMatchObject({ code: 'RESULT_GONE' })

  const small = kept({ ttlMs: 60_000, maxBytes: 3000 })
  const first = await small.keep(result('a'.repeat(1000)), 'ada')
  const second = await small.keep(result('b'.repeat(1000)), 'ada')
  await small.original(first, ada)
  await small.keep(result('c'.repeat(1000)), 'ada')
  await expect(small.original(first, ada)).resolves.toBeDefined()
  await expect(small.original(second, ada)).rejects.toMatchObject({ code: 'RESULT_GONE' })
})

it('projects with JMESPath and pages through a list until all of it was read', async () => {
  const handles = kept()
  const handle = await handles.keep(result({ items }), 'ada')
  const read: unknown[] = []
  for (let offset: unknown = 0; typeof offset === 'number';) {
    const page = await handles.read(handle, ada, {
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
  expect(await handles.read(handle, ada, { offset: 10, limit: 2 })).toMatchObject({
    total: 1000,
    next_offset: 12,
    data: 'line 10\nline 11',
  })
  expect(await handles.read(handle, ada, { grep: 'error', limit: 2 })).toMatchObject({
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
  expect(await handles.read(handle, ada, { grep: 'needle' })).toMatchObject({
    data: [
      { at: 'a."b c"[1]', value: 'Needle' },
      { at: 'needle_count', value: 1 },
    ],
  })
})

it('summarises a single value that is larger than the page', async () => {
  const handles = kept()
  const handle = await handles.keep(result({ text: 'word '.repeat(5000), id: 7 }), 'ada')
  const page = await handles.read(handle, ada, { maxTokens: 200 })
  expect(page['data']).toMatchObject({ id: 7, _summarized: true, _handle: handle })
  expect(countTokens(JSON.stringify(page))).toBeLessThanOrEqual(200)
})

it('refuses a grep of too many words or characters, and says how many it takes', async () => {
  const handles = kept()
  const handle = await handles.keep(result('line of text\n'.repeat(1000)), 'ada')
  const words = Array.from({ length: 20_000 }, (_, i) => `w${i}`)
  for (const [count, limit] of [
    [20_000, 'it may have 1000'],
    [51, '51 words between "|"; it may have 50'],
  ] as const)
    await expect(
      handles.read(handle, ada, { grep: words.slice(0, count).join('|') }),
    ).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining(limit),
      details: { hint: expect.stringContaining('fewer or shorter words') },
    })
  const most = `${words.slice(0, 49).join('|')}|LINE`
  expect(await handles.read(handle, ada, { grep: most })).toMatchObject({ total: 1000 })
})

it('lower-cases each line once, however many words are looked for', async () => {
  const lowerCase = vi.spyOn(String.prototype, 'toLowerCase')
  try {
    grep('line of text\n'.repeat(1000), 'a1|b2|c3|d4|e5')
    expect(lowerCase.mock.calls.length).toBeLessThan(1100)
  } finally {
    lowerCase.mockRestore()
  }
})

it.each([
  ['that is not JMESPath', 'items[', 'Write JMESPath'],
  ['that doubles 40 times', `${'[@,@][]|'.repeat(40)}@`, 'Narrow the result'],
  ['that doubles in a branch', `items ? ${'[@,@][]|'.repeat(40)}@ : @`, 'Narrow the result'],
  ['that escapes 60 times', `${'to_string(['.repeat(60)}@${'])'.repeat(60)}`, 'Narrow the result'],
  ['with the root in a loop', 'map(&length($), items)', 'Leave out $'],
  ['that pads without end', "pad_left('x', `1000000000`)", 'Leave out $'],
  // The library makes an array of that many elements: the whole process would run out of memory.
  ['that replaces a count', "replace(text, 'x', 'y', `300000000`)", 'Leave out $'],
  ['that joins by data', 'join(text, items[].state)', 'Leave out $'],
  ['that replaces by data', "replace(text, '', text)", 'Leave out $'],
  ['that is too long', 'x'.repeat(1001), 'Shorten it'],
])('refuses an expression %s', async (_, select, hint) => {
  const handles = kept()
  const handle = await handles.keep(result({ items, text: 'xyz' }), 'ada')
  await expect(handles.read(handle, ada, { select })).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
    details: { hint: expect.stringContaining(hint) },
  })
})

it('refuses to copy a large result as often as a small one, and still projects it', async () => {
  const numbers = Array.from({ length: 900_000 }, (_, i) => i)
  const handles = kept({ ttlMs: 60_000, maxBytes: 1 << 28 })
  const handle = await handles.keep(result({ items: numbers }), 'ada')
  const select = `items | [${Array(60).fill('@').join(',')}][] | length(@)`
  const started = performance.now()
  await expect(handles.read(handle, ada, { select })).rejects.toMatchObject({
    message: expect.stringContaining('60 times the result'),
    details: { hint: expect.stringContaining('items[:1000]') },
  })
  expect(performance.now() - started).toBeLessThan(30_000)
  const both = await handles.read(handle, ada, { select: '[length(items), items[-1]]' })
  expect(both).toMatchObject({ data: [900_000, 899_999] })

  const small = await handles.keep(result({ items }), 'ada')
  expect(await handles.read(small, ada, { select })).toMatchObject({ data: 60 * items.length })
})

it('brings one page of what an expression finds back from its thread, however much that is', async () => {
  const lines = Array.from({ length: 50_000 }, (_, n) => `line ${n} of many words`)
  const handles = kept()
  const handle = await handles.keep(result(lines.join('\n')), 'ada')
  const select = `[${Array(60).fill('@').join(',')}][]`
  const heard = vi.spyOn(Worker.prototype, 'emit')
  const page = await handles.read(handle, ada, { select, grep: 'line 7 of', maxTokens: 400 })
  const characters = heard.mock.calls.map((event) => JSON.stringify(event).length)
  heard.mockRestore()
  expect(page).toMatchObject({ total: 60, offset: 0, data: { at: '[0]' } })
  expect(Math.max(...characters)).toBeLessThan(10_000)
})

const copies = (count: number) => `[${Array(count).fill('text').join(',')}][]`

it('gives a program all of what an expression finds, and refuses what is too much to hand over', async () => {
  const handles = kept({ ttlMs: 60_000, maxBytes: 1 << 28 })
  const handle = await handles.keep(result({ items }), 'ada')
  const open = items.filter(({ state }) => state === 'open').map(({ id }) => id)
  const select = "items[?state=='open'].id"
  expect(JSON.parse(await handles.json(handle, ada, { select }))).toEqual(open)
  expect(JSON.parse(await handles.json(handle, ada, { select, offset: 10, limit: 2 }))).toEqual(
    open.slice(10, 12),
  )
  expect(JSON.parse(await handles.json(handle, ada, { select: 'items[0].state' }))).toBe('closed')
  const large = await handles.keep(result({ text: 'x'.repeat(1 << 20) }), 'ada')
  expect((await handles.json(large, ada, { select: copies(30) })).length).toBeGreaterThan(30 << 20)
  await expect(handles.json(large, ada, { select: copies(33) })).rejects.toMatchObject({
    message: expect.stringMatching(/its answer has \d+ characters, more than \d+/),
    details: { hint: expect.stringContaining('items[:1000]') },
  })
})

it('lets the fields of one element together count as the element', async () => {
  const fields = 'id: id, state: state, n: nested.a, m: nested.b, f: tags[0], t: tags'
  const text = 'x'.repeat(10_000)
  const rows = Array.from({ length: 2000 }, (_, id) => ({
    id,
    state: 'open',
    nested: { a: text, b: text },
    tags: [text],
  }))
  const handles = kept({ ttlMs: 60_000, maxBytes: 1 << 28 })
  const handle = await handles.keep(result({ rows }), 'ada')
  expect(await handles.read(handle, ada, { select: `rows[].{${fields}}` })).toMatchObject({
    total: 2000,
  })
})

it('ends an expression that takes too long', async () => {
  const handles = kept()
  const handle = await handles.keep(result({ text: `x${' '.repeat(400_000)}y` }), 'ada')
  // The thread is up already, so that all of the time is spent in the expression.
  await handles.read(handle, ada, { select: 'length(text)' })
  let turns = 0
  const timer = setInterval(() => void turns++, 20)
  await expect(handles.read(handle, ada, { select: 'trim_right(text)' })).rejects.toMatchObject({
    message: expect.stringContaining('longer than 2000 ms'),
    details: { hint: expect.stringContaining('Narrow the result') },
  })
  clearInterval(timer)
  // Everybody else was served meanwhile: the event loop turned on.
  expect(turns).toBeGreaterThan(10)
  expect(await handles.read(handle, ada, { select: 'length(text)' })).toMatchObject({
    data: 400_002,
  })
})

describe('numbers that no double can hold', () => {
  const rows = ['9007199254740993', '9007199254740992', '9007199254740994', '9007199254740995']
  const text = `{"rows":[${rows.map((id, n) => `{"id":${id},"n":${n}}`).join(',')}],"huge":1e400}`

  async function reading(select: string): Promise<string> {
    const handles = kept()
    const handle = await handles.keep(result(text), 'ada')
    const { data } = await handles.read(handle, ada, { select })
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
    const { data } = await handles.read(handle, ada, { grep: '0993' })
    expect(stringifyExact(data)).toBe('[{"at":"rows[0].id","value":9007199254740993}]')
  })
})
