import { isObject } from '../json/json.ts'
import { HIDDEN, hide } from './secrets.ts'

const MIN_LENGTH = 6
const MIN_WORD_LENGTH = 8
const MAX_KNOWN = 2_000

/** Words of settings that are common in any other text too. */
const COMMON = new Set(
  'administrator anonymous application changeme database default development disabled example external internal localhost optional password portolan postgres postgresql production readonly required undefined username'.split(
    ' ',
  ),
)
/** Paths, addresses without a password, hosts with a port, numbers and versions. */
const ORDINARY =
  /^(?:\.{0,2}\/|~\/|[a-z]:\\|https?:\/\/[^@]*$|[a-z\d-]+(?:\.[a-z\d-]+)*:\d{1,5}$|\d{1,7}$|v?\d+(?:\.\d+)+$)/i

/**
 * Hides secrets by their value, wherever a server, a log or an error may have put them: a password
 * may look like any word. A value stays known, as older records that hold it are still shown.
 */
export class SecretValues {
  /** Longest first, so that no part of a longer value is left. */
  #values: readonly string[] = []
  #inJson: readonly string[] = []
  #inBase64: readonly string[] = []
  readonly #known = new Set<string>()

  /** Adds values, except those that are too short or too common to be hidden. */
  learn(values: Iterable<string>): void {
    const fresh = [...values].filter((value) => !this.#known.has(value) && isTelling(value))
    if (fresh.length === 0) return
    for (const value of fresh) this.#known.add(value)
    // Drops the oldest values beyond the limit.
    for (const oldest of this.#known) {
      if (this.#known.size <= MAX_KNOWN) break
      this.#known.delete(oldest)
    }
    this.#inJson = longestFirst([...this.#known].map(inJson))
    this.#inBase64 = longestFirst([...this.#known].flatMap(inBase64))
    this.#values = longestFirst([...this.#known, ...this.#inJson])
  }

  /** Hides the known values in a text, as they are and as JSON and base64 write them. */
  hideValues(text: string): string {
    const clean = without(text, this.#values)
    return MAYBE_ENCODED.test(clean) ? without(clean, this.#inBase64) : clean
  }

  /** Hides the known values in a text, and everything else that looks like a secret. */
  hide(text: string): string {
    return hide(this.hideValues(text))
  }

  /** Hides the known values in serialised JSON, which stays valid JSON. */
  hideJson(json: string): string {
    return without(json, this.#inJson)
  }

  /** Returns a copy of a JSON value with the secrets in each of its strings hidden. */
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

/** Whether a value is rare enough to be hidden: hiding a common one would damage ordinary text. */
function isTelling(value: string): boolean {
  if (value.length < MIN_LENGTH || ORDINARY.test(value)) return false
  if (!/^[a-z]+$/i.test(value)) return true
  return value.length >= MIN_WORD_LENGTH && !COMMON.has(value.toLowerCase())
}

/** Characters of base64 that are hidden: fewer may stand in any other text. */
const MIN_ENCODED = 10
const MAYBE_ENCODED = /[\w+/-]{10}/

/**
 * Returns a value as base64 writes it, alone or after other text: there are three ways, by how many
 * bytes come before, and characters at both ends that depend on the neighbours are left out.
 */
function inBase64(value: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)])
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)]
    const encoded = (['base64', 'base64url'] as const).map((form) =>
      bytes.toString(form).slice(from, to),
    )
    return [...new Set(encoded)].filter((text) => text.length >= MIN_ENCODED)
  })
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
