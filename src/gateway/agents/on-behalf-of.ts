import type { Agent } from '../call.ts'
import { lineageOf } from './policy.ts'
import type { Upstream } from '../upstream.ts'

/** Whoever need not prove anything: the one person who uses this machine. */
export const LOCAL_PERSON = 'local'

/**
 * In whose name a call goes out. A claim proves nothing, so that whoever only claims to be an agent
 * never acts in the name of one that has proven it.
 */
export function personOf({ id, ancestors, proof, key, person }: Agent): string {
  if (person) return `user:${person.user}`
  if (proof === 'claim' || proof === 'fallback') return LOCAL_PERSON
  const root = ancestors?.at(-1) ?? id
  // A handle without a key may come from somebody who only claimed to be its parent.
  return proof === 'handle' && key === undefined ? `handle:${root}` : `agent:${root}`
}

/** Whose results are whose: those of one agent in the name of one person. */
export function ownerOfResults(agent: Agent): string {
  return `${personOf(agent)}|${lineageOf(agent)}`
}

/** A server as the person behind an agent has it: with their own sign-in, where it wants one. */
export function asSeenBy(upstream: Upstream, agent: Agent): Upstream {
  return asSeenByPerson(upstream, personOf(agent))
}

export function asSeenByPerson(upstream: Upstream, person: string): Upstream {
  return upstream.as?.(person) ?? upstream
}
