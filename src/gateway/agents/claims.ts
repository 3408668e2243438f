import { isObject } from '../../base/json/json.ts'

export type Claims = Readonly<Record<string, unknown>>

/** Returns a claim by its name, which may hold dots, else by its path (`realm_access.roles`). */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  return path
    .split('.')
    .reduce<unknown>(
      (value, part) => (isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined),
      claims,
    )
}

/** Returns the values of a claim as text: providers write one value or a list. */
export function toNames(claim: unknown): readonly string[] {
  if (Array.isArray(claim)) return claim.filter(isName)
  return isName(claim) ? [claim] : []
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
