import { expect, it } from 'vitest'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { createShaper } from './shaper.ts'
import type { SummaryRules } from './summarise/rules.ts'
import { countTokens } from './tokens.ts'

const allowance = {
  maxTokens: 2000,
  owner: 'ada',
  from: { server: 's', tool: 't' },
  arguments: {},
  outputSchema: undefined,
}

async function shaped(value: unknown, rules?: SummaryRules, always = false) {
  const text = JSON.stringify(value)
  const shaper = createShaper({ keep: async () => 'r_1', rules: () => rules })
  const whole = { content: [{ type: 'text', text }] }
  const { result, tokenCount } = await shaper.shape(whole, { ...allowance, always })
  const [block] = Array.isArray(result['content']) ? result['content'] : []
  const shortened = isObject(block) ? String(block['text']) : ''
  const summary: JsonObject = JSON.parse(shortened)
  return { text: shortened, summary, share: tokenCount / countTokens(text), tokenCount }
}

function people(count: number) {
  return Array.from({ length: count }, (_, i) => ({
    id: 40_000 + i,
    name: `Person ${i}`,
    email: `person${i}@example.com`,
    city: ['Berlin', 'Oslo', 'Lyon'][i % 3],
    created_at: new Date(1.7e12 + i * 3.6e6).toISOString(),
    about: 'Likes long walks and short answers. '.repeat(1 + (i % 2)),
  }))
}

function namesIn(text: string, count: number): number {
  return people(count).filter(({ id, name }) => text.includes(`${id},"${name}"`)).length
}

it('writes a list of 100 rows as columns with every name, in less than a third of its tokens', async () => {
  const { text, summary, share } = await shaped(people(100))
  expect(share).toBeLessThan(0.3)
  expect(namesIn(text, 100)).toBe(100)
  expect(JSON.stringify(summary['_omitted'])).toContain('about')
})

it('shows fewer of 300 rows with their names, rather than bare identifiers of all', async () => {
  const { text, summary, share } = await shaped({ people: people(300) })
  expect(share).toBeLessThan(0.3)
  expect(namesIn(text, 300)).toBeGreaterThanOrEqual(150)
  expect(summary['_shown']).toEqual({ people: `${namesIn(text, 300)} of 300` })
})

it.each([[undefined], [{ keep: ['id', 'name'] }]])(
  'keeps what leads to the next page, with the rules %o',
  async (rules) => {
    const page = { links: { self: '/people' }, note: 'x', _next: { page: 2 }, next_cursor: 'c2' }
    const { summary } = await shaped({ people: people(100), ...page }, rules)
    expect(JSON.stringify(summary)).toContain('"_next":{"page":2}')
    expect(JSON.stringify(summary).includes('"next_cursor":"c2"')).toBe(rules === undefined)
  },
)

it('does not cut a short list further than the budget asks', async () => {
  expect((await shaped(people(45))).tokenCount).toBeGreaterThan(1000)
})

it('names the fields that rules leave out', async () => {
  const traits = { BWT: { value: 1, accuracy: 74 }, WWT: { value: 2, accuracy: 71 } }
  const animal = (i: number) => ({ lpn_id: `64${i}`, breed: 'Katahdin', raw: { a: 'b' }, traits })
  const rows = { animals: Array.from({ length: 60 }, (_, i) => animal(i)), page: 0 }
  const top = [{ field: 'traits', by: 'accuracy', count: 1, as: 'best' }]
  const { summary } = await shaped(rows, { keep: ['lpn_id'], top }, true)
  expect(summary['_omitted']).toEqual(['animals[].breed', 'animals[].raw', 'page'])
})
