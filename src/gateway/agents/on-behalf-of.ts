import type { Agent } from '../call.ts'
import type { Person } from './person.ts'
import { lineageOf } from './policy.ts'
import type { Upstream } from '../upstream.ts'

/** The person behind callers that prove nothing: the user of this machine. */
export const LOCAL_PERSON = 'local'

/**
 * Returns the name in which a call goes out. A claim proves nothing, so a caller that only claims
 * to be an agent never acts in the name of one that has proved it.
 */
export function personOf({ id, ancestors, proof, key, person }: Agent): string {
  if (person) return ownName(person)
  if (proof === 'claim' || proof === 'fallback') return LOCAL_PERSON
  const root = ancestors?.at(-1) ?? id
  // A handle without a key may come from somebody who only claimed to be its parent.
  return proof === 'handle' && key === undefined ? `handle:${root}` : `agent:${root}`
}

/** Returns the name by which what a person owns is theirs; no name in rules has a "#". */
export function ownName({ user, id }: Pick<Person, 'user' | 'id'>): string {
  return id === undefined ? `user:${user}` : `user:${user}#${id}`
}

/** Whether a name in which calls go out is that of a person who has signed in. */
export function isSignedIn(person: string): boolean {
  return person.startsWith('user:')
}

/** Returns the owner of results: one agent in the name of one person, in one folder. */
export function ownerOfResults(agent: Agent): string {
  const owner = `${personOf(agent)}|${lineageOf(agent)}`
  return agent.folder === undefined ? owner : `${owner} @${agent.folder}`
}

/**
 * Returns the owner of sessions and waiting calls: an account or key with one client, however often
 * its token is renewed. Empty for callers that prove nothing.
 */
export function ownerOfSessions(agent: Agent): string {
  const { proof, accountId, person, key, client, clientId = client } = agent
  if (proof === 'claim' || proof === 'fallback') return ''
  // The handles of one account are for different agents.
  const isAccount = accountId !== undefined && proof !== 'handle'
  const who = isAccount ? [accountId] : [lineageOf(agent), person?.user, key, accountId]
  return JSON.stringify([proof, clientId ?? null, ...who])
}

/** Returns the person of an owner; neither ids of agents nor their lines contain a bar. */
export function personOfOwner(owner: string): string {
  return owner.slice(0, owner.lastIndexOf('|'))
}

/** Returns a server as the person behind an agent has it, with their own sign-in if needed. */
export function asSeenBy(upstream: Upstream, agent: Agent): Upstream {
  return asSeenByPerson(upstream, personOf(agent))
}

export function asSeenByPerson(upstream: Upstream, person: string): Upstream {
  return upstream.as?.(person) ?? upstream
}
