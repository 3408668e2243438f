import { createHash } from 'node:crypto'
import type { JsonObject } from '../../src/base/json/json.ts'
import { list, object, texts } from '../../src/upstreams/openapi/spec/read-values.ts'
import { deref } from '../support/deref.ts'

/** The same people and customers in every API, so that records of two APIs can be joined. */
export const PEOPLE = 'ada bo cleo dara elif finn gao hana ivo jun kofi lena'.split(' ')
export const CUSTOMERS = 20

const WORDS =
  'amber basin cedar delta ember fjord grove harbor inlet jetty kelp lagoon marsh north otter pier'.split(
    ' ',
  )
const DEEPEST = 4
const DAY_MS = 86_400_000
const FIRST_DAY_MS = Date.UTC(2026, 0, 1)
const DAYS = 300

/** Returns a number that is always the same for the same seed. */
export function pick(seed: string, below: number): number {
  return createHash('md5').update(seed).digest().readUInt32BE(0) % below
}

/**
 * Returns a record for the schema of a response, with every property that is required or a plain
 * value, as in answers of real APIs; the seed alone decides the values.
 */
export function sampleRecord(root: JsonObject, raw: unknown, seed: string): JsonObject {
  return object(sample(root, raw, { seed, name: '', depth: 0 }))
}

interface Position {
  readonly seed: string
  readonly name: string
  readonly depth: number
}

function sample(root: JsonObject, raw: unknown, at: Position): unknown {
  const schema = whole(root, raw)
  const { seed, name, depth } = at
  if (schema.const !== undefined) return schema.const
  const choices = list(schema.enum).filter((each) => each !== null && each !== '')
  if (choices.length > 0) return choices[pick(seed, choices.length)]
  const type = typeOf(schema)
  if (type === 'array')
    return depth >= DEEPEST
      ? []
      : [sample(root, schema.items, { seed: `${seed}/0`, name, depth: depth + 1 })]
  if (type === 'object') return depth >= DEEPEST ? {} : sampleObject(root, schema, at)
  if (type === 'integer' || type === 'number') return sampleNumber(seed, name)
  if (type === 'boolean') return pick(seed, 2) === 1
  return sampleText(seed, name, String(schema.format))
}

function sampleObject(root: JsonObject, schema: JsonObject, at: Position): JsonObject {
  const properties = object(schema.properties)
  const required = new Set(texts(schema.required))
  const names = Object.keys(properties).filter(
    (name) => required.has(name) || SCALARS.has(typeOf(whole(root, properties[name]))),
  )
  return Object.fromEntries(
    names.map((name) => [
      name,
      sample(root, properties[name], {
        seed: `${at.seed}.${name}`,
        name,
        depth: at.depth + 1,
      }),
    ]),
  )
}

function sampleNumber(seed: string, name: string): number {
  if (/^(created|.*_at|.*_start|.*_end)$/.test(name))
    return (FIRST_DAY_MS + pick(seed, DAYS) * DAY_MS) / 1000
  if (name === 'id' || name.endsWith('_id')) return 1_000_000 + pick(seed, 9_000_000)
  return pick(seed, name.includes('amount') || name === 'total' ? 50_000 : 40)
}

const BY_NAME: Readonly<Record<string, (seed: string) => string>> = {
  login: person,
  email: (seed) => `${person(seed)}@example.com`,
  customer: (seed) => `cus_${1 + pick(seed, CUSTOMERS)}`,
  state: (seed) => (pick(seed, 3) === 0 ? 'closed' : 'open'),
  body: sentence,
  description: sentence,
  message: sentence,
}

function sampleText(seed: string, name: string, format: string): string {
  if (format === 'date-time' || name.endsWith('_at'))
    return new Date(FIRST_DAY_MS + pick(seed, DAYS) * DAY_MS).toISOString()
  const known = BY_NAME[name]
  if (known) return known(seed)
  const isAddress = format === 'uri' || name.endsWith('url')
  return isAddress ? `https://api.example.com/${wordsOf(seed, 3)}` : wordsOf(seed, 2)
}

function person(seed: string): string {
  return PEOPLE[pick(seed, PEOPLE.length)] ?? ''
}

function sentence(seed: string): string {
  return wordsOf(seed, 24, ' ')
}

function wordsOf(seed: string, count: number, between = '-'): string {
  return Array.from({ length: count }, (_, n) => WORDS[pick(`${seed}${n}`, WORDS.length)]).join(
    between,
  )
}

const SCALARS = new Set(['string', 'integer', 'number', 'boolean'])

function typeOf({ type, properties }: JsonObject): string {
  const declared = [type].flat().find((each) => each !== 'null')
  return typeof declared === 'string' ? declared : properties === undefined ? 'string' : 'object'
}

/** Merges a schema with its `allOf` parts and the first alternative that is not null. */
function whole(root: JsonObject, raw: unknown, hops = 0): JsonObject {
  const schema = deref(root, raw)
  const parts = list(schema.allOf)
  const [choice] = list(schema.anyOf ?? schema.oneOf).filter(
    (each) => deref(root, each).type !== 'null',
  )
  if ((parts.length === 0 && choice === undefined) || hops > 8) return schema
  // Between an id and the record it refers to, the id comes first, and APIs answer with it.
  const inner = [...parts, ...(choice === undefined ? [] : [choice])].map((each) =>
    whole(root, each, hops + 1),
  )
  const properties: JsonObject = Object.assign(
    {},
    ...inner.map((each) => each.properties),
    schema.properties,
  )
  return Object.assign({}, ...inner, {
    ...(Object.keys(properties).length > 0 && { properties }),
    required: [...inner.flatMap((each) => texts(each.required)), ...texts(schema.required)],
  })
}
