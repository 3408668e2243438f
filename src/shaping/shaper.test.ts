import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Allowance } from '../gateway/layers/budgets.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { createHandles } from './handles.ts'
import { createMemoryStore } from './handles/result-store.ts'
import { createShaper } from './shaper.ts'
import type { SummaryRules } from './summarise/rules.ts'
import { countTokens } from './tokens.ts'
import { runs } from '../../test/support/mutating.ts'

function allowance(maxTokens: number, more: Partial<Allowance> = {}): Allowance {
  return {
    maxTokens,
    owner: 'ada',
    from: { server: 's', tool: 't' },
    arguments: {},
    outputSchema: undefined,
    ...more,
  }
}

function setup(rules?: SummaryRules) {
  const handles = createHandles(createMemoryStore({ ttlMs: 60_000, maxBytes: 1 << 26 }))
  const shaper = createShaper({
    keep: async (result, agent) => handles.keep(result, agent),
    rules: () => rules,
  })
  return { handles, shaper }
}

const textResult = (text: string): JsonObject => ({ content: [{ type: 'text', text }] })
const jsonResult = (value: unknown, indent?: number) =>
  textResult(JSON.stringify(value, null, indent))

function onlyText(result: JsonObject): string {
  const [block] = Array.isArray(result['content']) ? result['content'] : []
  return isObject(block) ? String(block['text']) : ''
}

const parsed = (result: JsonObject) => JSON.parse(onlyText(result))

const issues = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: 1000 + i,
    node_id: `MDU6SXNzdWU${i}`,
    number: i,
    title: `Issue number ${i}`,
    url: `https://api.example.com/issues/${i}`,
    html_url: `https://example.com/issues/${i}`,
    comments_url: `https://api.example.com/issues/${i}/comments`,
    user: {
      login: `user${i % 3}`,
      id: i % 3,
      avatar_url: 'https://example.com/a.png',
      site_admin: false,
    },
    labels: [{ id: 1, name: 'bug', color: 'f00' }],
    milestone: null,
    assignees: [],
    state: i % 2 ? 'open' : 'closed',
    body: `Some long text about the issue. `.repeat(20),
  }))

const animal = (i: number) => ({
  lpn_id: `64014920${i}`,
  breed: 'Katahdin',
  raw_data: { everything: 'again '.repeat(50) },
  traits: {
    BWT: { value: 1, accuracy: 74 },
    WWT: { value: 2, accuracy: 71 },
    NLB: { value: 3, accuracy: null },
    YWT: { value: 4, accuracy: 49 },
  },
})

describe('the shaper', () => {
  it('gives back the very same result when it takes exactly the allowance', async () => {
    const { shaper } = setup()
    const text = 'word '.repeat(500)
    const result = textResult(text)
    const shaped = await shaper.shape(result, allowance(countTokens(text)))
    expect(shaped.result).toBe(result)
    expect(shaped).toMatchObject({ tokenCount: countTokens(text), tokensSaved: 0 })
  })

  it('only removes white space when that is enough, and says nothing more', async () => {
    const { shaper } = setup()
    const value = { items: Array.from({ length: 50 }, (_, i) => ({ a: i, b: null })) }
    const limit = countTokens(JSON.stringify(value))
    const { result, tokensSaved } = await shaper.shape(jsonResult(value, 2), allowance(limit))
    expect(onlyText(result)).toBe(JSON.stringify(value))
    expect(tokensSaved).toBeGreaterThan(0)
  })

  it('keeps the identifiers of all rows of a list and says what it dropped', async () => {
    const { shaper } = setup()
    const { result } = await shaper.shape(jsonResult(issues(60)), allowance(2000))
    const value = parsed(result)
    for (const { id } of issues(60)) expect(onlyText(result)).toContain(String(id))
    expect(value['_omitted']).toEqual(expect.arrayContaining(['null and empty', 'links']))
    expect(value).toMatchObject({ _summarized: true, _handle: expect.stringMatching(/^r_/) })
    expect(value['_summary_token_count']).toBe(countTokens(onlyText(result)))
    expect(value['_reduction_percent']).toBeGreaterThan(70)
  })

  it('samples a list that is too long even for identifiers, with the exact total', async () => {
    const { shaper } = setup()
    const { result } = await shaper.shape(jsonResult({ items: issues(3000) }), allowance(1000))
    const value = parsed(result)
    expect(value['_shown']).toMatchObject({ items: expect.stringMatching(/^\d+ of 3000$/) })
    expect(countTokens(onlyText(result))).toBeGreaterThan(600)
  })

  it('clips long strings with the number of characters left out', async () => {
    const { shaper } = setup()
    const { result } = await shaper.shape(
      jsonResult({ id: 1, body: 'x y '.repeat(9000) }),
      allowance(500),
    )
    expect(parsed(result)['body']).toMatch(/…\[\+\d+ characters\]$/)
    expect(countTokens(onlyText(result))).toBeGreaterThan(250)
  })

  it('shows fields that the call asked about before others', async () => {
    const { shaper } = setup()
    const rows = issues(80).map((issue) => ({ ...issue, velocity: 3, weight: 1, humidity: 7 }))
    const asked = allowance(1500, { arguments: { query: 'humidity by day' } })
    const { result } = await shaper.shape(jsonResult(rows), asked)
    expect(onlyText(result)).toContain('humidity')
    expect(JSON.stringify(parsed(result).data)).not.toContain('velocity')
  })

  it('writes a value that occurs many times only once', async () => {
    const { shaper } = setup()
    const owner = {
      id: 5,
      name: 'a',
      bio: 'the same long text about one owner, again and again',
      x: { y: [1, 2, { z: 1 }] },
    }
    const rows = Array.from({ length: 40 }, (_, i) => ({ id: i, parts: i % 2 ? [owner, i] : [i] }))
    const { result } = await shaper.shape(jsonResult(rows, 1), allowance(900))
    const text = onlyText(result)
    expect(text.split('the same long text').length).toBe(2)
    expect(parsed(result)['_shared']).toEqual([owner])
  })

  it('cuts plain text in the middle and keeps its head, its tail and the total', async () => {
    const { shaper } = setup()
    const text = Array.from({ length: 5000 }, (_, i) => `line ${i} of the log`).join('\n')
    const { result } = await shaper.shape(textResult(text), allowance(400))
    const clipped = onlyText(result)
    expect(clipped).toMatch(/^line 0 of the log\n/)
    expect(clipped).toMatch(/line 4999 of the log$/)
    expect(clipped).toContain(`of ${text.length} characters omitted; read_result handle r_`)
    expect(countTokens(clipped)).toBeLessThanOrEqual(400)
  })

  it('shapes structured content and its text alike', async () => {
    const { shaper } = setup()
    const structured = { items: issues(50) }
    const given = { ...jsonResult(structured, 2), structuredContent: structured }
    const { result } = await shaper.shape(given, allowance(1000))
    expect(result['structuredContent']).toEqual(parsed(result))
    expect(countTokens(onlyText(result))).toBeLessThanOrEqual(1000)
  })

  it('counts an image flat, and names one that does not fit', async () => {
    const { shaper } = setup()
    const image = { type: 'image', mimeType: 'image/png', data: 'A'.repeat(100_000) }
    const one = { content: [image, { type: 'text', text: 'a chart' }] }
    expect((await shaper.shape(one, allowance(2000))).result).toBe(one)
    const { result } = await shaper.shape({ content: [image, image] }, allowance(2000))
    expect(JSON.stringify(result['content'])).toMatch(/image\/png left out; read_result handle r_/)
  })

  it('turns an embedded file that does not fit into a link to it', async () => {
    const { shaper } = setup()
    const resource = { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob: 'AAAA' }
    const { result } = await shaper.shape(
      { content: [{ type: 'resource', resource }] },
      allowance(200),
    )
    expect(result['content']).toEqual([
      {
        type: 'resource_link',
        uri: 'file:///a.pdf',
        name: 'file:///a.pdf',
        mimeType: 'application/pdf',
        size: 3,
        description: expect.stringMatching(/^Left out; read_result handle r_\w+, select "\[0\]"$/),
      },
    ])
  })

  it('divides the allowance among many blocks and says how many are missing', async () => {
    const { shaper } = setup()
    const content = Array.from({ length: 300 }, (_, i) => ({
      type: 'text',
      text: `row ${i} `.repeat(9),
    }))
    const { result, tokenCount } = await shaper.shape({ content }, allowance(500))
    expect(tokenCount).toBeLessThanOrEqual(500)
    expect(JSON.stringify(result['content'])).toMatch(/of 300 blocks left out/)
  })

  it('applies the rules of a tool to every record at any depth', async () => {
    const { shaper } = setup({
      keep: ['lpn_id', 'breed', 'total_count'],
      top: [
        {
          field: 'traits',
          by: 'accuracy',
          count: 3,
          atLeast: 50,
          as: 'top_traits',
          keyAs: 'trait',
        },
      ],
    })
    const given = { total_count: 2, results: [animal(1), animal(2)] }
    const { result } = await shaper.shape(jsonResult(given), allowance(200))
    expect(parsed(result)).toMatchObject({
      total_count: 2,
      results: [1, 2].map((i) => ({
        lpn_id: `64014920${i}`,
        breed: 'Katahdin',
        top_traits: [
          { trait: 'BWT', value: 1, accuracy: 74 },
          { trait: 'WWT', value: 2, accuracy: 71 },
        ],
      })),
      _summarized: true,
    })
  })

  it('survives JSON nested deeper than the stack', async () => {
    const { shaper } = setup()
    const deep = `${'['.repeat(200_000)}1${']'.repeat(200_000)}`
    const { result } = await shaper.shape(textResult(deep), allowance(300))
    expect(countTokens(onlyText(result))).toBeLessThanOrEqual(300)
    expect(parsed(result)['_summarized']).toBe(true)
  })

  it(
    'for any JSON stays valid, within the allowance, and the handle gives the original back',
    { timeout: 60_000 },
    async () => {
      const { shaper, handles } = setup()
      const key = fc.oneof(
        fc.string(),
        fc.constantFrom('id', '__proto__', '_handle', '_rows', '_ref', 'data', 'constructor'),
      )
      const { tree } = fc.letrec((tie) => ({
        tree: fc.oneof(
          { depthSize: 'small' },
          fc.oneof(
            fc.jsonValue(),
            fc.string({ unit: 'binary', maxLength: 400 }),
            fc.base64String({ maxLength: 900 }),
          ),
          fc.array(tie('tree'), { maxLength: 9 }),
          fc.dictionary(key, tie('tree'), { maxKeys: 9 }),
        ),
      }))
      const blocks = fc.array(tree, { minLength: 1, maxLength: 4 })
      await fc.assert(
        fc.asyncProperty(
          blocks,
          fc.integer({ min: 40, max: 600 }),
          fc.boolean(),
          async (values, max, structured) => {
            const result: JsonObject = {
              content: values.map((value) => ({
                type: 'text',
                text: JSON.stringify(value, null, 1),
              })),
              ...(structured && { structuredContent: { value: values[0] } }),
            }
            const before = JSON.stringify(result)
            const shaped = await shaper.shape(result, allowance(max))
            expect(shaped.tokenCount).toBeLessThanOrEqual(max)
            const total = modelTokens(shaped.result)
            expect(total).toBeLessThanOrEqual(max)
            const handle = handleOf(shaped.result)
            const kept =
              handle === undefined
                ? result
                : await handles.original(handle, { owner: 'ada', mayUse: () => true })
            expect(JSON.stringify(kept)).toBe(before)
            for (const text of textsOf(shaped.result)) expect(isValid(text)).toBe(true)
          },
        ),
        { numRuns: runs(100), endOnFailure: true },
      )
    },
  )
})

const textsOf = (result: JsonObject): string[] =>
  Array.isArray(result['content']) ? result['content'].map((block) => String(block.text)) : []

const handleOf = (result: JsonObject): string | undefined =>
  JSON.stringify(result['_meta'] ?? {}).match(/"handle":"(r_\w+)"/)?.[1]

/** JSON was given in every block: it is still JSON, or a note in brackets about one left out. */
function isValid(text: string): boolean {
  if (/omitted; read_result|left out; read_result/.test(text)) return true
  JSON.parse(text)
  return true
}

/** What a model would read, counted apart from the shaper's own accounting. */
function modelTokens(result: JsonObject): number {
  const texts = textsOf(result)
  const structured = result['structuredContent']
  const mirrored = texts.length === 1 && texts[0] === JSON.stringify(structured)
  if (structured !== undefined && !mirrored) texts.push(JSON.stringify(structured))
  return texts.reduce((sum, text) => sum + countTokens(text), 0)
}
