import type { JsonObject } from '../../src/base/json/json.ts'
import type { Fixtures } from './fixtures.ts'

export type Kind = 'lookup' | 'join' | 'paging' | 'filter and write' | 'aggregation' | 'small'

/** A question with one right answer, and the program that finds it. */
export interface Task {
  readonly name: string
  readonly kind: Kind
  /** What is asked of `find_tools` first. */
  readonly find: string
  /** Tools that it must find, as `server.tool`. */
  readonly needs: readonly string[]
  /** What it reads of each record of a list, where the gateway shortens that list for whoever calls one by one. */
  readonly fields?: Readonly<Record<string, readonly string[]>>
  /** Run as a script, and outside of the gateway with the same calls made one by one. */
  readonly code: string
  /** Worked out from the data, without any call. */
  readonly expected: (fixtures: Fixtures) => unknown
  /** How many writes it must have made; those of all routes must be the same ones. */
  readonly writes?: (fixtures: Fixtures) => number
}

/** Values of records, as the tasks work with them. */
export const at = (record: JsonObject, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => Object(value)[key], record)

export const text = (record: JsonObject, ...path: readonly string[]): string =>
  String(at(record, ...path))

export const amount = (record: JsonObject, ...path: readonly string[]): number =>
  Number(at(record, ...path))

/** How often each value comes. */
export function tally<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => string,
  weightOf: (value: Value) => number = () => 1,
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[keyOf(value)] = (counts[keyOf(value)] ?? 0) + weightOf(value)
  return counts
}

/** The key with the largest number; the first of the alphabet where several have it. */
export function top(counts: Readonly<Record<string, number>>): string {
  const [first] = Object.entries(counts).toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  return first?.[0] ?? ''
}
