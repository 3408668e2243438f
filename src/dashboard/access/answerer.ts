import { personOf } from '../../gateway/agents/on-behalf-of.ts'
import type { Answerer } from '../../gateway/approvals/approval.ts'
import type { Agent } from '../../gateway/call.ts'
import { HttpError } from '../../http/http-error.ts'
import type { Visitor } from './visitor.ts'

/**
 * Returns who answers about calls. The credential of an agent, which it sends itself, answers
 * nothing, also as a cookie: only a session shows that a person has signed in.
 */
export function toAnswerer({ role, via }: Pick<Visitor, 'role' | 'via'>, agent: Agent): Answerer {
  const { id, person, key, proof } = agent
  const isAdmin = role === 'admin'
  const hasSession = via === 'cookie' && proof === 'sign-in'
  if (!isAdmin && !(hasSession && person))
    throw new HttpError(
      403,
      'ROLE_REQUIRED',
      'The credential of an agent cannot approve calls',
      'Sign in on the pages as a person, or use the key of an admin.',
    )
  return {
    name: person?.user ?? id,
    person: personOf(agent),
    groups: person?.groups ?? [],
    isAdmin,
    hasToken: !hasSession && key === undefined,
    key,
    via: 'page',
  }
}
