import { GatewayError } from '../gateway/errors.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { ExactNumber, parseExact, toDoubles } from '../base/json/exact-json.ts'
import { didYouMean } from '../base/text/nearest.ts'

/** The part of a tool's definition that describes its arguments. */
export interface Signature {
  readonly name: string
  readonly inputSchema: {
    readonly properties: JsonObject
    readonly required?: readonly string[]
  }
}

/**
 * Reads the arguments of one of our own tools. An unknown argument is refused with the nearest
 * name, a wrong type with the expected one.
 */
export class Arguments {
  readonly #values: JsonObject
  readonly #tool: string

  /** `aliases` are other names that the tool accepts. */
  constructor({ name, inputSchema }: Signature, values: unknown, aliases: readonly string[] = []) {
    this.#tool = name
    this.#values = isObject(values) ? values : {}
    const known = Object.keys(inputSchema.properties)
    for (const key of Object.keys(this.#values))
      if (this.#given(key) !== undefined && !known.includes(key) && !aliases.includes(key))
        throw this.#unknown(key, known)
  }

  text(name: string): string | undefined {
    const value = this.#given(name)
    if (value === undefined || typeof value === 'string') return value
    throw this.#wrong(name, 'a string', value)
  }

  required(name: string): string {
    const value = this.text(name)
    if (value !== undefined && value !== '') return value
    throw new GatewayError('INVALID_PARAMS', `Missing required parameter: ${name}`, {
      hint: `Call ${this.#tool} again with "${name}".`,
    })
  }

  flag(name: string): boolean {
    const value = this.#given(name)
    if (value === undefined || typeof value === 'boolean') return value ?? false
    if (value === 'true' || value === 'false') return value === 'true'
    throw this.#wrong(name, 'true or false', value)
  }

  /** Returns the value as it was given. */
  any(name: string): unknown {
    return this.#given(name)
  }

  positive(name: string): number | undefined {
    const value = this.#given(name)
    if (value === undefined) return undefined
    const isText = typeof value === 'string' && /^\d+$/.test(value)
    const number = isText || value instanceof ExactNumber ? Number(value) : value
    if (typeof number === 'number' && Number.isInteger(number) && number > 0) return number
    throw this.#wrong(name, 'a positive whole number', value)
  }

  /** A whole number, zero included. */
  count(name: string): number | undefined {
    const value = this.#given(name)
    return value === 0 || value === '0' ? 0 : this.positive(name)
  }

  /** A list of names: an array, or one string with commas; names with commas need the array. */
  names(name: string): string[] | undefined {
    const value = this.#given(name)
    if (value === undefined) return undefined
    const list = typeof value === 'string' ? value.split(',') : value
    if (!Array.isArray(list)) throw this.#wrong(name, 'an array of strings', value)
    const names = list.map((item) => {
      if (typeof item !== 'string') throw this.#wrong(name, 'an array of strings', value)
      return item.trim()
    })
    const kept = names.filter((item) => item !== '')
    return kept.length > 0 ? kept : undefined
  }

  /** An object, under either of two names for one parameter. */
  object(name: string, alias?: string): JsonObject {
    const other = alias === undefined ? undefined : this.#given(alias)
    if (alias !== undefined && other !== undefined && this.#given(name) !== undefined)
      throw new GatewayError(
        'INVALID_PARAMS',
        `${this.#tool}: "${name}" and "${alias}" are the same parameter`,
        { hint: `Call ${this.#tool} again with "${name}" alone.` },
      )
    const value = this.#given(name) ?? other
    if (value === undefined) return {}
    const parsed = typeof value === 'string' ? parse(value) : value
    if (isObject(parsed)) return parsed
    throw this.#wrong(name, 'an object', value)
  }

  #given(name: string): unknown {
    const value = this.#values[name]
    return value === null ? undefined : value
  }

  #unknown(key: string, known: readonly string[]): GatewayError {
    return new GatewayError('INVALID_PARAMS', `${this.#tool}: unknown parameter "${key}"`, {
      hint: didYouMean(key, known) ?? `${this.#tool} takes: ${known.join(', ')}.`,
      data: { path: key, expected: known },
    })
  }

  #wrong(name: string, expected: string, got: unknown): GatewayError {
    const type = Array.isArray(got) ? 'an array' : typeof toDoubles(got)
    return new GatewayError(
      'INVALID_PARAMS',
      `${this.#tool}: "${name}" must be ${expected}, got ${type}`,
      {
        hint: `Call ${this.#tool} again with "${name}" as ${expected}.`,
        data: { path: name, expected, got: type },
      },
    )
  }
}

function parse(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}
