import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { aLink } from '../../../test/support/a-link.ts'
import {
  type Lists,
  type OfficialClient,
  officialClients,
} from '../../../test/support/clients/official-lists.ts'
import { ExactNumber } from '../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { toLegacyTool } from '../../protocol/eras/legacy/to-result.ts'
import { fetchListing } from './listing.ts'

let clients: OfficialClient[]

beforeAll(async () => {
  // Version 1 warns of formats that it does not know.
  vi.spyOn(console, 'warn').mockReturnValue()
  clients = await officialClients()
})
afterAll(async () => {
  vi.restoreAllMocks()
  await Promise.all(clients.map(async (client) => client.close()))
})

const SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://example.org/schema',
  type: 'object',
  properties: { text: { type: 'string', pattern: '^a', format: 'date' }, list: { items: {} } },
  required: ['text'],
  anyOf: [{ $ref: '#/properties/text' }],
}
const COMMON = {
  title: 'Title',
  description: 'What it does',
  icons: [{ src: 'data:,', mimeType: 'image/png', sizes: ['any'], theme: 'dark' }],
  _meta: { 'example.org/x': 1 },
}
const RESOURCE = {
  ...COMMON,
  name: 'r',
  mimeType: 'text/plain',
  size: 7,
  annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' },
}

/** Definitions with every field that clients read. */
const GOOD: Lists = {
  tools: [
    {
      ...COMMON,
      name: 't',
      inputSchema: SCHEMA,
      outputSchema: SCHEMA,
      annotations: { title: 'T', readOnlyHint: true, destructiveHint: false },
      execution: { taskSupport: 'optional' },
    },
  ],
  prompts: [{ ...COMMON, name: 'p', arguments: [{ name: 'a', description: 'A', required: true }] }],
  resources: [{ ...RESOURCE, uri: 'file:///a' }],
  resourceTemplates: [{ ...RESOURCE, uriTemplate: 'file:///{a}' }],
}
/** Another server's definitions, which must stay. */
const OTHERS: Lists = {
  tools: [{ name: 'mine', inputSchema: { type: 'object' } }],
  prompts: [{ name: 'mine' }],
  resources: [{ name: 'mine', uri: 'mine:' }],
  resourceTemplates: [{ name: 'mine', uriTemplate: 'mine:{a}' }],
}
const KEYS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    '',
    'x',
    [],
    {},
    [null],
    [{}],
    ['object'],
    'array',
  ),
  fc.constantFrom<unknown>(
    { type: 'array' },
    { $ref: '#' },
    { $ref: 'x' },
    { pattern: '(' },
    '\u{E0041}',
  ),
  fc.constantFrom<unknown>(
    { $schema: 5 },
    { type: 'odd' },
    { format: 5 },
    { nullable: true },
    { id: 'x' },
  ),
  fc.constantFrom<unknown>(
    { formatMinimum: '2' },
    { $id: 'https://example.org/schema', type: 'array' },
  ),
  fc.constant(new ExactNumber('1e999')),
  fc.jsonValue(),
)

/** Returns every place of a value, as the keys on the way. */
function placesOf(value: unknown, path: readonly string[] = []): string[][] {
  const inside = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return [[...path], ...inside.flatMap(([key, inner]) => placesOf(inner, [...path, key]))]
}

function changed(value: unknown, path: readonly string[], to: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return to
  if (Array.isArray(value))
    return value.map((inner, index) =>
      String(index) === key ? (changed(inner, rest, to) ?? null) : inner,
    )
  if (!isObject(value)) return value
  const { [key]: inner, ...others } = value
  const now = changed(inner, rest, to)
  return now === undefined ? others : { ...others, [key]: now }
}

const changes = fc.array(fc.tuple(fc.nat(), fc.oneof(fc.constant(undefined), odd)), {
  minLength: 1,
  maxLength: 3,
})

const mutated = (definition: JsonObject): fc.Arbitrary<unknown> =>
  changes.map((list) =>
    list.reduce<unknown>((value, [index, to]) => {
      const places = placesOf(value)
      return changed(value, places[index % places.length] ?? [], to) ?? null
    }, definition),
  )

const listings = fc.record(
  Object.fromEntries(
    KEYS.map((key) => [
      key,
      fc.array(fc.oneof(...GOOD[key].map(mutated), fc.jsonValue()), { minLength: 1, maxLength: 3 }),
    ]),
  ),
)

async function listed(given: Readonly<Record<string, unknown>>, era: 'legacy' | 'modern') {
  const link = aLink(
    { era, capabilities: { tools: {}, prompts: {}, resources: {} } },
    {
      'tools/list': () => ({ tools: given['tools'] }),
      'prompts/list': () => ({ prompts: given['prompts'] }),
      'resources/list': () => ({ resources: given['resources'] }),
      'resources/templates/list': () => ({ resourceTemplates: given['resourceTemplates'] }),
    },
  )
  return fetchListing('s', link)
}

async function acceptedByAll(given: Readonly<Record<string, unknown>>, era: 'legacy' | 'modern') {
  const listing = await listed(given, era)
  for (const client of clients) {
    const isLegacy = client.era === 'legacy'
    const tools = listing.tools.map(({ definition }) => definition)
    const shown = { ...listing, tools: isLegacy ? tools.map(toLegacyTool) : tools }
    const all = Object.fromEntries(KEYS.map((key) => [key, [...shown[key], ...OTHERS[key]]]))
    const seen = await client.list({ ...OTHERS, ...all })
    for (const key of KEYS) expect(seen[key]).toHaveLength(shown[key].length + 1)
  }
  return listing
}

it.each(['legacy', 'modern'] as const)(
  'shows good definitions of a %s server whole',
  async (era) => {
    const listing = await acceptedByAll({ ...GOOD }, era)
    const { $id: _, ...outputSchema } = SCHEMA
    expect(listing.leftOut).toEqual([])
    expect(listing.tools[0]?.definition).toEqual({ ...GOOD.tools[0], outputSchema })
    for (const key of ['prompts', 'resources', 'resourceTemplates'] as const)
      expect(listing[key]).toEqual(GOOD[key])
  },
)

it.each(['legacy', 'modern'] as const)(
  'whatever a %s server lists, the official clients accept the lists of all servers',
  async (era) => {
    await fc.assert(
      fc.asyncProperty(listings, async (given) => {
        const { tools } = await acceptedByAll(given, era)
        expect(tools).toEqual(expect.any(Array))
      }),
      { numRuns: 200 },
    )
  },
)
