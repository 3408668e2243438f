import { randomBytes } from 'node:crypto'

/**
 * JSON whose numbers keep their value: identifiers of 64 bits and long decimals do not fit a double,
 * and the nearest double is the identifier of another record. Such a number becomes an `ExactNumber`
 * when it is read and its own digits again when it is written; every other number is a plain one.
 */
export class ExactNumber extends Number {
  /** As it was written. */
  readonly text: string

  constructor(text: string) {
    super(text)
    this.text = text
    anyMade = true
  }

  override toString(): string {
    return this.text
  }

  /** Called by JSON.stringify; outside `stringifyExact` the nearest double is written. */
  toJSON(): number | string {
    if (!writing) return this.valueOf()
    met = true
    return MARK + this.text
  }
}

/** Prefix of a string that stands for a number; random, so that no input can contain it. */
const MARK = `${randomBytes(16).toString('base64url')}:`
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g')

/** Whether there ever was an exact number; most processes never have one and skip the search. */
let anyMade = false
/** Whether `stringifyExact` is running, and whether it has met an exact number. */
let writing = false
let met = false

/** Like JSON.stringify, but writes every exact number in its own digits. */
export function stringifyExact(
  value: unknown,
  replacer?: (key: string, value: unknown) => unknown,
  space?: number,
): string {
  if (!anyMade) return JSON.stringify(value, replacer, space)
  const wasWriting = writing
  const hadMet = met
  writing = true
  met = false
  try {
    const text = JSON.stringify(value, replacer, space)
    return met ? text.replaceAll(MARKED, '$1') : text
  } finally {
    writing = wasWriting
    met = hadMet
  }
}

/** Text with more values than this would take seconds to parse, and gigabytes. */
export const MAX_VALUES = 1_000_000

/** JSON of so many values that it is not parsed: empty objects take 70 times their text. */
export class TooManyValues extends SyntaxError {
  override readonly name = 'TooManyValues'

  constructor() {
    super(`the JSON has more than ${MAX_VALUES} values`)
  }
}

/** Like JSON.parse, but returns an `ExactNumber` for every number that a double cannot hold. */
export function parseExact(text: string, mostValues = MAX_VALUES): unknown {
  if (text.length > mostValues && hasMoreValues(text, mostValues)) throw new TooManyValues()
  // Parsed first, so that the code below may rely on valid JSON, and errors are the usual ones.
  const value: unknown = JSON.parse(text)
  if (!mayBeLossy(text)) return value
  const marked = markLossy(text)
  if (marked === undefined) return value
  const holder = [JSON.parse(marked)]
  replaceEach(holder, (inner) =>
    typeof inner === 'string' && inner.startsWith(MARK)
      ? new ExactNumber(inner.slice(MARK.length))
      : inner,
  )
  return holder[0]
}

/** Whether a value is a number, exact or plain. */
export function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === 'number' || value instanceof ExactNumber
}

/** Reads a number as JSON writes it. */
export function readNumber(text: string): number | ExactNumber {
  return isLossy(text) ? new ExactNumber(text) : Number(text)
}

/**
 * Returns the value with the nearest double in place of every exact number, for code that only
 * knows plain numbers. Copies the value only if it has exact numbers.
 */
export function toDoubles(value: Readonly<Record<string, unknown>>): Record<string, unknown>
export function toDoubles(value: unknown): unknown
export function toDoubles(value: unknown): unknown {
  if (!hasExact(value)) return value
  return mapLeaves(value, (leaf) => (leaf instanceof ExactNumber ? leaf.valueOf() : leaf))
}

/** Whether there is an exact number anywhere in a value. */
export function hasExact(value: unknown): boolean {
  if (!anyMade) return false
  let found = false
  replaceEach([value], (inner) => {
    found ||= inner instanceof ExactNumber
    return inner
  })
  return found
}

/** Returns a copy in which every value that is neither an array nor an object is replaced. */
export function mapLeaves(value: unknown, change: (leaf: unknown) => unknown): unknown {
  const holder = [value]
  replaceEach(holder, (inner) => (isContainer(inner) ? copyOf(inner) : change(inner)))
  return holder[0]
}

type Container = unknown[] | Record<string, unknown>

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber)
}

function copyOf(container: Container): Container {
  return Array.isArray(container) ? container.slice() : { ...container }
}

/** Replaces every value inside, outer ones first; iterative, as JSON may be very deep. */
function replaceEach(root: Container, replace: (value: unknown) => unknown): void {
  const waiting: Container[] = [root]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (Array.isArray(node)) {
      for (let index = 0; index < node.length; index++) {
        const inner = replace(node[index])
        if (inner !== node[index]) node[index] = inner
        if (isContainer(inner)) waiting.push(inner)
      }
    } else {
      for (const key of Object.keys(node)) {
        const inner = replace(node[key])
        if (inner !== node[key]) node[key] = inner
        if (isContainer(inner)) waiting.push(inner)
      }
    }
  }
}

/** Counts what begins a value outside of strings. */
function hasMoreValues(text: string, most: number): boolean {
  let values = 0
  let at = 0
  while (at < text.length && values <= most) {
    const code = text.charCodeAt(at)
    if (code === COMMA || code === OPENING_BRACKET || code === OPENING_BRACE) values++
    at = code === QUOTE ? endOfString(text, at) : at + 1
  }
  return values > most
}

// Numbers of up to 15 digits with a two-digit exponent fit a double. A match inside a string only
// costs a closer look. Because LONG is written out, V8 skips sixteen characters at once.
const LONG = new RegExp(`[\\s,:[-]\\d${'[0-9.]'.repeat(15)}`)
const POWER = /\d[eE][+-]?\d\d\d/
/** Slower, but not misled by the hexadecimal digits of a hash. */
const POWER_OF_NUMBER = /[\s,:[-]\d[\d.]*[eE][+-]?\d{3}/

function mayBeLossy(text: string): boolean {
  const isAlone = text.charCodeAt(0) === MINUS || isDigit(text.charCodeAt(0))
  return isAlone || LONG.test(text) || (POWER.test(text) && POWER_OF_NUMBER.test(text))
}

/** Marks every number that a double cannot hold; returns undefined if there is none. */
function markLossy(text: string): string | undefined {
  const parts: string[] = []
  let copied = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
    } else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at)
      const number = text.slice(at, end)
      if (isLossy(number)) {
        parts.push(text.slice(copied, at), `"${MARK}${number}"`)
        copied = end
      }
      at = end
    } else {
      at++
    }
  }
  if (copied === 0) return undefined
  return parts.join('') + text.slice(copied)
}

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const OPENING_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/** Returns where the string that begins at `start` ends, which is the end if nothing ends it. */
function endOfString(text: string, start: number): number {
  let end = start
  let slash: number
  do {
    end = text.indexOf('"', end + 1)
    if (end === -1) return text.length
    slash = end
    while (text.charCodeAt(slash - 1) === BACKSLASH) slash--
    // A quote after an odd number of backslashes is a part of the string.
  } while ((end - slash) % 2 === 1)
  return end + 1
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && !endsNumber(text.charCodeAt(end))) end++
  return end
}

function endsNumber(code: number): boolean {
  return code === COMMA || code === CLOSING_BRACKET || code === CLOSING_BRACE || code <= SPACE
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Whether the double nearest to a number is written as a different number. */
function isLossy(number: string): boolean {
  if (number.length < 16 && !/[eE]/.test(number)) return false
  const written = String(Number(number))
  if (written === number) return false
  // From 10^21 JavaScript writes an exponent, which other languages do not take for a whole number.
  if (!/[.eE]/.test(number)) return true
  const wanted = decimalOf(number)
  if (wanted.digits === '') return false
  const kept = decimalOf(written)
  return wanted.digits !== kept.digits || wanted.power !== kept.power
}

/** Returns a number's digits without the zeros around them, their power of ten, and the sign. */
function decimalOf(number: string): { digits: string; power: number; sign: number } {
  const [mantissa = '', exponent = '0'] = number.split(/[eE]/)
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = whole + fraction
  let first = 0
  while (digits[first] === '0') first++
  let end = digits.length
  while (end > first && digits[end - 1] === '0') end--
  const sign = first === end ? 0 : number.startsWith('-') ? -1 : 1
  const power = whole.length - first + Number(exponent)
  return { digits: digits.slice(first, end), power, sign }
}

/** More digits and larger exponents would take long to calculate with. */
const MAX_DIGITS = 1_000

/**
 * Whether a number is a whole multiple of another, by the digits that both are written with: 19.99
 * is a multiple of 0.01, although the doubles nearest to them are not. True if that cannot be
 * calculated quickly.
 */
export function isMultipleOf(value: number | ExactNumber, factor: number | ExactNumber): boolean {
  const [one, other] = [decimalOf(String(value)), decimalOf(String(factor))]
  if (one.sign === 0 || other.sign === 0) return true
  const shift = one.power - one.digits.length - (other.power - other.digits.length)
  if (Math.max(Math.abs(shift), one.digits.length, other.digits.length) > MAX_DIGITS) return true
  return withZeros(one.digits, shift) % withZeros(other.digits, -shift) === 0n
}

function withZeros(digits: string, zeros: number): bigint {
  return BigInt(digits + '0'.repeat(Math.max(zeros, 0)))
}

/** Compares two numbers by their exact values, for sorting. */
export function compareExact(one: number | ExactNumber, other: number | ExactNumber): number {
  if (Number(one) !== Number(other)) return Number(one) < Number(other) ? -1 : 1
  const [a, b] = [decimalOf(String(one)), decimalOf(String(other))]
  // Two numbers whose nearest double is zero may lie on either side of it.
  if (a.sign !== b.sign) return a.sign - b.sign
  const sizes = a.power - b.power || (a.digits < b.digits ? -1 : Number(a.digits > b.digits))
  return a.sign === 0 ? 0 : sizes * a.sign
}
