import { type Claims, claimAt, toNames } from '../../../gateway/agents/claims.ts'
import type { Person } from '../../../gateway/agents/person.ts'

/** Claims about the token, not the person. */
const TECHNICAL = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'nonce', 'at_hash', 'c_hash'])

/** Returns the person that a provider's claims describe. */
export function toPerson(user: string, claims: Claims, groupsClaim = 'groups'): Person {
  return {
    user,
    groups: toNames(claimAt(claims, groupsClaim)),
    claims: Object.fromEntries(Object.entries(claims).filter(([name]) => !TECHNICAL.has(name))),
  }
}
