import { isObject } from '../../base/json/json.ts'

export type Claims = Readonly<Record<string, unknown>>

/** A claim by its name, else by its path (`realm_access.roles`): names of claims may hold dots themselves. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  return path
    .split('.')
    .reduce<unknown>(
      (value, part) => (isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined),
      claims,
    )
}

/** The values of a claim as text: providers write one value or a list. */
export function toNames(claim: unknown): readonly string[] {
  if (Array.isArray(claim)) return claim.filter(isName)
  return isName(claim) ? [claim] : []
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
