import { isObject } from '../json/json.ts'
import { HIDDEN, hide, isSecretName } from './secrets.ts'

/** Values that are no secret, whatever their names: `tokenUrl` says where, not with what. */
export const PATH_OR_ADDRESS = /^(?:\.{0,2}\/|~\/|[a-z]:\\|https?:\/\/)/i

/** `${VAR}` and `Bearer ${VAR}`, without a default, which might be a secret. */
const REFERENCE = /^(?:\w+ )?\$\{[\w.]+\}$/

/** The name that tells whether a field is secret: `auth.value` is as secret as `auth`. */
export function tellingName(key: string, parent: string): string {
  return key === 'value' ? parent : key
}

/**
 * A copy of a value of JSON for people to read, without secrets: neither those that the name of their
 * field tells, nor those that look like one.
 *
 * @example
 * ```ts
 * hideFields({ user: 'ada', password: 'hunter22' }) // { user: 'ada', password: '[redacted]' }
 * ```
 */
export function hideFields<Value>(value: Value, name?: string): Value
export function hideFields(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return hideField(value, name)
  if (Array.isArray(value)) return value.map((part) => hideFields(part, name))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, hideFields(part, tellingName(key, name))]),
  )
}

function hideField(value: string, name: string): string {
  const isSecret = isSecretName(name) && !PATH_OR_ADDRESS.test(value) && !REFERENCE.test(value)
  return isSecret ? HIDDEN : hide(value)
}
