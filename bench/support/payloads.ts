// Results to shape: response examples of a real API, lists made from them, generated and hostile
// ones.
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { list, object, text } from '../../src/upstreams/openapi/spec/read-values.ts'
import { deref } from './deref.ts'

export interface Payload {
  readonly name: string
  readonly value: unknown
}

/** Every JSON example of a successful response, with the operation it belongs to. */
export function responseExamples(spec: JsonObject): Payload[] {
  const operations = Object.values(object(spec.paths)).flatMap((item) =>
    Object.values(object(item)),
  )
  return operations.map(object).flatMap((operation) =>
    successes(spec, operation).flatMap((media) =>
      Object.values(object(media.examples)).flatMap((example) => {
        const { value } = deref(spec, example)
        return value === undefined ? [] : [{ name: text(operation.operationId), value }]
      }),
    ),
  )
}

function successes(spec: JsonObject, operation: JsonObject): JsonObject[] {
  return Object.entries(object(operation.responses))
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => object(object(deref(spec, response).content)['application/json']))
}

const ROWS = 30

/** Returns a page of 30 rows like those of the example; each has its own ids, as on a real page. */
export function asPage(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 ? rowsLike(value) : undefined
  if (!isObject(value)) return undefined
  const lists = Object.entries(value).filter(([, inner]) => list(inner).length > 0)
  const [[key, rows] = []] = lists
  if (key === undefined || lists.length !== 1) return undefined
  return typeof list(rows)[0] === 'object' ? { ...value, [key]: rowsLike(list(rows)) } : undefined
}

function rowsLike(rows: readonly unknown[]): unknown[] {
  return Array.from({ length: ROWS }, (_, i) => renumbered(rows[i % rows.length], i + 1))
}

const IDENTITY = /^(id|node_id|number|sha|name|login|title|key|slug|full_name)$/

function renumbered(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return value.map((inner, i) => renumbered(inner, seed * 7 + i))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (!IDENTITY.test(key)) return [key, renumbered(inner, seed)]
      if (typeof inner === 'number') return [key, inner + seed * 13]
      if (key === 'sha') return [key, seed.toString(16).padStart(4, '0') + String(inner).slice(4)]
      return [key, typeof inner === 'string' ? `${inner}-${seed}` : inner]
    }),
  )
}

/** Returns the identifiers of the rows of a list, which an agent needs to continue with a row. */
export function identifiers(value: unknown): unknown[] {
  const rows = list(Array.isArray(value) ? value : Object.values(object(value)).find(Array.isArray))
  const key = ['id', 'number', 'sha', 'key', 'slug', 'name'].find((name) =>
    rows.every((row) => ['string', 'number'].includes(typeof object(row)[name])),
  )
  return key === undefined ? [] : rows.map((row) => object(row)[key])
}

const order = (i: number) => ({
  id: 50_000 + i,
  customer: { id: i % 40, name: `Customer ${i % 40}`, email: `c${i % 40}@example.com` },
  status: ['open', 'paid', 'shipped'][i % 3],
  currency: 'EUR',
  total: Math.round(Math.sin(i) * 10_000) / 100,
  created_at: new Date(1.7e12 + i * 3.6e6).toISOString(),
  lines: Array.from({ length: 1 + (i % 4) }, (_, n) => ({
    sku: `SKU-${(i * 7 + n) % 900}`,
    qty: n + 1,
    price: 9.9,
  })),
  note: i % 5 ? null : 'Please deliver between 9 and 12, ring twice. '.repeat(4),
  _links: { self: { href: `https://api.example.com/orders/${i}` } },
})

const orders = (count: number) => Array.from({ length: count }, (_, i) => order(i))

export function generatedLists(): Payload[] {
  return [
    { name: 'orders x100', value: orders(100) },
    {
      name: 'orders in an envelope',
      value: { success: true, data: orders(150), page: 1, total: 4021 },
    },
    {
      name: 'measurements x200',
      value: Array.from({ length: 200 }, (_, i) => ({
        id: `m${i}`,
        at: 1.7e9 + i * 60,
        value: Math.cos(i),
        unit: 'C',
        ok: true,
      })),
    },
  ]
}

const big = 1_000_000
const random = (n: number) =>
  Buffer.from(Array.from({ length: n }, (_, i) => (i * 2654435761) >>> 24))

/** Texts that make careless code quadratic, recursive or huge. */
export function hostileTexts(): Record<string, string> {
  const nested = `${'['.repeat(200_000)}1${']'.repeat(200_000)}`
  const objects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
  const wide = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`key_${i}`, i]))
  let matryoshka: JsonObject = { id: 1 }
  for (let i = 0; i < 12; i++) matryoshka = { inner: JSON.stringify(matryoshka) }
  return {
    'one letter': 'a'.repeat(big),
    spaces: ' '.repeat(big),
    newlines: '\n'.repeat(big),
    base64: random(750_000).toString('base64'),
    'a string of one letter in JSON': JSON.stringify({ id: 1, body: 'a'.repeat(big) }),
    'base64 in JSON': JSON.stringify([{ id: 1, data: random(750_000).toString('base64') }]),
    'deep arrays': nested,
    'deep objects': objects,
    'a million numbers': JSON.stringify(Array.from({ length: big }, (_, i) => i)),
    '200,000 fields': JSON.stringify(wide),
    '200,000 empty objects': JSON.stringify(Array.from({ length: 200_000 }, () => ({}))),
    'JSON in JSON in JSON': JSON.stringify(matryoshka),
    'no two rows alike': JSON.stringify(
      Array.from({ length: 20_000 }, (_, i) => ({ [`f${i}`]: i, [`g${i}`]: [i] })),
    ),
    emoji: '👩‍👩‍👧‍👦'.repeat(50_000),
    'CJK without a space': '漢字仮名'.repeat(150_000),
  }
}
