import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { stringifyExact } from '../../../base/json/exact-json.ts'
import type { ParameterPlace, ParameterStyle } from '../spec/operation.ts'

export type Pair = readonly [name: string, value: string]

type Shape = Pick<ParameterPlace, 'name' | 'style' | 'explode' | 'json' | 'allowReserved'>

/** Returns a value as text. Objects inside arrays have no style of their own: they become JSON. */
export function scalar(value: unknown): string {
  if (typeof value === 'string') return value
  return isObject(value) || Array.isArray(value) ? stringifyExact(value) : String(value)
}

/** Name and value pairs for a query string, a form or a cookie; encoding is left to the caller. */
export function toPairs({ name, style, explode, json }: Shape, value: unknown): readonly Pair[] {
  if (json) return [[name, stringifyExact(value)]]
  if (style === 'deepObject') return deepPairs(name, value)
  if (Array.isArray(value)) {
    if (explode) return value.map((item) => [name, scalar(item)])
    return value.length === 0 ? [] : [[name, value.map(scalar).join(separator(style))]]
  }
  if (isObject(value)) {
    const entries = given(value)
    if (explode) return entries.map(([key, each]) => [key, scalar(each)])
    return [[name, entries.flatMap(([key, each]) => [key, scalar(each)]).join(separator(style))]]
  }
  return [[name, scalar(value)]]
}

/** Returns the entries that are not null: neither a query nor a form can express null. */
export function given(value: JsonObject): [name: string, value: unknown][] {
  return Object.entries(value).filter(([, each]) => each !== undefined && each !== null)
}

function separator(style: ParameterStyle): string {
  if (style === 'spaceDelimited') return ' '
  if (style === 'tabDelimited') return '\t'
  return style === 'pipeDelimited' ? '|' : ','
}

/** `filter[status][0]=open`: the notation of PHP, Rails and Stripe. */
export function deepPairs(name: string, value: unknown): readonly Pair[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => deepPairs(`${name}[${index}]`, item))
  }
  if (isObject(value)) {
    return given(value).flatMap(([key, each]) => deepPairs(`${name}[${key}]`, each))
  }
  return [[name, scalar(value)]]
}

/** Returns the query or cookie part of one parameter; only list separators are not encoded. */
export function toQuery(shape: Shape, value: unknown): string {
  const { name, style, explode, json, allowReserved } = shape
  const encode = allowReserved ? encodeUnreserved : encodeScalar
  const isJoined = !json && !explode && style === 'form'
  if (isJoined && (Array.isArray(value) || isObject(value))) {
    const items = Array.isArray(value) ? value : given(value).flat()
    if (items.length === 0) return ''
    return `${encodeURIComponent(name)}=${items.map(encode).join(',')}`
  }
  return toPairs(shape, value)
    .map(([key, each]) => `${encodeURIComponent(key)}=${encode(each)}`)
    .join('&')
}

function encodeScalar(value: unknown): string {
  return encodeURIComponent(scalar(value))
}

/** Keeps reserved characters, except those that would end the value: `&`, `#` and `+`. */
function encodeUnreserved(value: unknown): string {
  return encodeScalar(value).replaceAll(/%(3A|2F|3F|5B|5D|40|21|24|2C|3B|3D)/gi, decodeURIComponent)
}

/** The text that replaces `{name}` in a path. */
export function toPathSegment({ name, style, explode, json }: Shape, value: unknown): string {
  if (json) return encodeURIComponent(stringifyExact(value))
  const items = Array.isArray(value) ? value.map(encodeScalar) : undefined
  const fields = isObject(value)
    ? Object.entries(value).map(([key, each]) => [encodeScalar(key), encodeScalar(each)] as const)
    : undefined
  if (style === 'matrix')
    return matrix(encodeScalar(name), { items, fields, explode, value: encodeScalar(value) })
  const prefix = style === 'label' ? '.' : ''
  const between = style === 'label' && explode ? '.' : encodeSeparator(style)
  if (items) return prefix + items.join(between)
  if (fields) return prefix + fields.map((pair) => pair.join(explode ? '=' : ',')).join(between)
  return prefix + encodeScalar(value)
}

/** Only commas stand in a path as they are. */
function encodeSeparator(style: ParameterStyle): string {
  return encodeURIComponent(separator(style)).replace('%2C', ',')
}

interface MatrixParts {
  readonly items: readonly string[] | undefined
  readonly fields: readonly (readonly [string, string])[] | undefined
  readonly explode: boolean
  readonly value: string
}

function matrix(name: string, { items, fields, explode, value }: MatrixParts): string {
  if (items) {
    return explode
      ? items.map((item) => `;${name}=${item}`).join('')
      : `;${name}=${items.join(',')}`
  }
  if (fields && explode) return fields.map(([key, each]) => `;${key}=${each}`).join('')
  if (fields) return `;${name}=${fields.flat().join(',')}`
  return value === '' ? `;${name}` : `;${name}=${value}`
}

/** Headers support only the simple style, and the separators of Swagger 2. */
export function toHeader({ style, explode, json }: Shape, value: unknown): string {
  if (json) return stringifyExact(value)
  if (Array.isArray(value)) return value.map(scalar).join(separator(style))
  if (!isObject(value)) return scalar(value)
  return Object.entries(value)
    .map(([key, each]) => `${key}${explode ? '=' : ','}${scalar(each)}`)
    .join(',')
}
