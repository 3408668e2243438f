import { createHash } from 'node:crypto'
import { GatewayError } from '../../../gateway/errors.ts'
import { isUserName } from '../../../gateway/agents/agent-id.ts'
import { type Claims, claimAt } from '../../../gateway/agents/claims.ts'
import type { Account } from './accounts.ts'
import type { ProviderSettings } from '../sign-in-mode.ts'
import { toPerson } from './to-person.ts'

/**
 * Returns the account that the provider's claims name. Ignores an unverified e-mail address, which
 * may be anybody's, and replaces a name that cannot be in rules by one that can.
 */
export function toAccount(
  claims: Claims,
  {
    issuer,
    userClaim,
    groupsClaim,
  }: Pick<ProviderSettings, 'issuer' | 'userClaim' | 'groupsClaim'>,
): Account {
  const verified = claims['email_verified'] === true ? claims['email'] : undefined
  const named = userClaim === undefined ? (verified ?? claims['sub']) : claimAt(claims, userClaim)
  if (typeof named !== 'string' || named === '')
    throw new GatewayError(
      'UNAUTHENTICATED',
      `The provider says nothing in the claim "${userClaim ?? 'sub'}"`,
      { hint: 'Have the provider add this claim, or set auth.provider.userClaim to another.' },
    )
  const user = isUserName(named) ? named : `user-${digest(`${issuer} ${named}`)}`
  const { groups, claims: more } = toPerson(user, claims, groupsClaim)
  return {
    agent: user,
    person: { user, groups: [...groups], claims: { ...more } },
    source: 'provider',
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 20)
}
