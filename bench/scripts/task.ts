import type { JsonObject } from '../../src/base/json/json.ts'
import type { Fixtures } from './fixtures.ts'

export type Kind = 'lookup' | 'join' | 'paging' | 'filter and write' | 'aggregation' | 'small'

/** A question with one right answer, and the program that finds it. */
export interface Task {
  readonly name: string
  readonly kind: Kind
  /** The first query for `find_tools`. */
  readonly find: string
  /** Tools that it must find, as `server.tool`. */
  readonly needs: readonly string[]
  /** The record fields it needs, by tool, if the gateway shortens the list for single calls. */
  readonly fields?: Readonly<Record<string, readonly string[]>>
  /** Runs as a script, and outside the gateway with the same calls made one by one. */
  readonly code: string
  /** Computes the answer from the data, without any call. */
  readonly expected: (fixtures: Fixtures) => unknown
  /** How many writes it must make; they must be the same on all routes. */
  readonly writes?: (fixtures: Fixtures) => number
}

/** Returns a value of a record. */
export const at = (record: JsonObject, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => Object(value)[key], record)

export const text = (record: JsonObject, ...path: readonly string[]): string =>
  String(at(record, ...path))

export const amount = (record: JsonObject, ...path: readonly string[]): number =>
  Number(at(record, ...path))

/** Counts the values by key, optionally weighted. */
export function tally<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => string,
  weightOf: (value: Value) => number = () => 1,
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[keyOf(value)] = (counts[keyOf(value)] ?? 0) + weightOf(value)
  return counts
}

/** Returns the key with the largest number; of several, the first alphabetically. */
export function top(counts: Readonly<Record<string, number>>): string {
  const [first] = Object.entries(counts).toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  return first?.[0] ?? ''
}
