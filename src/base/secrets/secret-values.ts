import { isObject } from '../json/json.ts'
import { HIDDEN, hide } from './secrets.ts'

const SHORTEST = 6
const SHORTEST_WORD = 8
const MOST_KNOWN = 2_000

/** Words that are in settings and in every other sentence too. */
const COMMON = new Set(
  'administrator anonymous application changeme database default development disabled example external internal localhost optional password portolan postgres postgresql production readonly required undefined username'.split(
    ' ',
  ),
)
/** Paths, addresses without a password, hosts with a port, numbers and versions. */
const ORDINARY =
  /^(?:\.{0,2}\/|~\/|[a-z]:\\|https?:\/\/[^@]*$|[a-z\d-]+(?:\.[a-z\d-]+)*:\d{1,5}$|\d{1,7}$|v?\d+(?:\.\d+)+$)/i

/**
 * Hides secrets by their value, wherever a server, a log or an error may have put them: a password looks
 * like any word. What was known once stays known, since what was recorded with it is still shown.
 */
export class SecretValues {
  /** Longest first, so that no part of one is left. */
  #values: readonly string[] = []
  #inJson: readonly string[] = []
  readonly #known = new Set<string>()

  /** Adds values; those that are too short or too common to be hidden are left out. */
  learn(values: Iterable<string>): void {
    const fresh = [...values].filter((value) => !this.#known.has(value) && isTelling(value))
    if (fresh.length === 0) return
    for (const value of fresh) this.#known.add(value)
    // The newest stay where there are too many.
    for (const oldest of this.#known) {
      if (this.#known.size <= MOST_KNOWN) break
      this.#known.delete(oldest)
    }
    this.#inJson = longestFirst([...this.#known].map(inJson))
    this.#values = longestFirst([...this.#known, ...this.#inJson])
  }

  /** The text without the known values: as they are, or as JSON writes them. */
  hideValues(text: string): string {
    return without(text, this.#values)
  }

  /** The text without the known values, nor anything else that looks like a secret. */
  hide(text: string): string {
    return hide(this.hideValues(text))
  }

  /** Serialised JSON without the known values; it stays JSON. */
  hideJson(json: string): string {
    return without(json, this.#inJson)
  }

  /** A copy of a value of JSON, each of its strings hidden. */
  hideDeep<Value>(value: Value): Value
  hideDeep(value: unknown): unknown {
    if (typeof value === 'string') return this.hide(value)
    if (Array.isArray(value)) return value.map((part) => this.hideDeep(part))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, this.hideDeep(part)]),
    )
  }
}

/** Whether a value would give itself away: one that is in ordinary text would take that with it. */
function isTelling(value: string): boolean {
  if (value.length < SHORTEST || ORDINARY.test(value)) return false
  if (!/^[a-z]+$/i.test(value)) return true
  return value.length >= SHORTEST_WORD && !COMMON.has(value.toLowerCase())
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}

function longestFirst(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted((a, b) => b.length - a.length)
}

function without(text: string, values: readonly string[]): string {
  let clean = text
  for (const value of values) if (clean.includes(value)) clean = clean.replaceAll(value, HIDDEN)
  return clean
}
