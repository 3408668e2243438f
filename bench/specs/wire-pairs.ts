/** A received request. */
import { isDeepStrictEqual } from 'node:util'
import { type ReadParameter, isRecord } from './reading.ts'

export interface Arrived {
  readonly method: string
  /** As sent, still encoded. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

export type Pair = readonly [name: string, value: string]

const SEPARATORS: Readonly<Record<string, string>> = {
  pipeDelimited: '|',
  spaceDelimited: ' ',
  tabDelimited: '\t',
}

export function queryPairs(
  { name, style, explode, isJson }: ReadParameter,
  value: unknown,
): Pair[] {
  if (isJson) return [[name, JSON.stringify(value)]]
  const between = SEPARATORS[style] ?? ','
  if (Array.isArray(value)) {
    if (style === 'deepObject') return value.map((one, index) => [`${name}[${index}]`, plain(one)])
    if (explode) return value.map((one) => [name, plain(one)])
    return value.length === 0 ? [] : [[name, value.map(plain).join(between)]]
  }
  if (isRecord(value)) {
    const fields = Object.entries(value)
    if (style === 'deepObject') return fields.map(([key, one]) => [`${name}[${key}]`, plain(one)])
    if (explode) return fields.map(([key, one]) => [key, plain(one)])
    return fields.length === 0 ? [] : [[name, fields.flat().map(plain).join(between)]]
  }
  return [[name, plain(value)]]
}

export function comparePairs(
  where: string,
  expected: readonly Pair[],
  found: readonly Pair[],
): string[] {
  const sorted = (pairs: readonly Pair[]) =>
    pairs.map(([name, value]) => `${name}=${value}`).toSorted()
  const [wanted, got] = [sorted(expected), sorted(found)]
  if (isDeepStrictEqual(wanted, got)) return []
  const missing = wanted.filter((one) => !got.includes(one))
  const extra = got.filter((one) => !wanted.includes(one))
  return [
    `${where}: missing ${missing.slice(0, 3).join(' ')}; extra ${extra.slice(0, 3).join(' ')}`,
  ]
}

export function plain(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}
