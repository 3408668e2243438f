import { compileMatch } from '../gateway/agents/groups.ts'
import type { Principal } from '../gateway/agents/policy.ts'
import type { Rules } from '../gateway/agents/rules.ts'
import { agentOfClient } from './client-agent.ts'
import { unnamedAgent } from './directory.ts'

/** What is known about names. */
export interface KnownNames {
  readonly rules: Rules | undefined
  readonly auth: {
    readonly required: boolean | 'auto'
    readonly defaultAgent?: string | undefined
  }
  /** The agents that have keys. */
  readonly keyed: readonly string[]
  /** The people who sign in with a password stored here. */
  readonly users: readonly { readonly name: string; readonly groups: readonly string[] }[]
}

/**
 * Answers "who is this?" for a name that somebody asks about, such as in `portolan explain`: a stored
 * user with their groups, an agent of the rules or with a key, or else a client without a key, which
 * acts on behalf of another agent.
 */
export function whoIs(name: string, { rules, auth, keyed, users }: KnownNames): Principal {
  const user = users.find((each) => each.name === name)
  if (user) return { id: name, person: { user: name, groups: user.groups } }
  if (isAgent(name, rules) || keyed.includes(name) || auth.required === true) return { id: name }
  try {
    const { id, ancestors } = unnamedAgent(name, rules, auth.defaultAgent)
    return ancestors ? { id, ancestors } : { id }
  } catch {
    return { id: name } // The rules have no agent for clients without a key.
  }
}

/** Whether the rules name an agent, by its id or by a group. */
function isAgent(name: string, rules: Rules | undefined): boolean {
  if (rules === undefined || Object.hasOwn(rules.agents, name)) return true
  return Object.values(rules.groups ?? {}).some(({ match }) => compileMatch(match)({ id: name }))
}

/** The fields of a call's event or audit line that say who made it. */
export interface RecordedCaller {
  readonly agent: string
  readonly ancestors?: readonly string[] | undefined
  readonly user?: string | undefined
  readonly groups?: readonly string[] | undefined
  /** The name of the client program. */
  readonly client?: string | undefined
}

/** Returns who made a recorded call, for the rules. */
export function whoCalled(caller: RecordedCaller): Principal {
  const { agent: id, ancestors, user, groups = [], client } = caller
  const person = user === undefined ? undefined : { user, groups }
  return {
    id,
    ...(ancestors && { ancestors }),
    // The name of a client counts only after a sign-in, as anyone else may claim any name.
    ...(person && { person, client }),
  }
}

/** Whether an agent was named after its client, and so has all rights of its ancestors. */
export function isNamedAfterClient({ agent, ancestors, client }: RecordedCaller): boolean {
  return ancestors !== undefined && agentOfClient(client) === agent
}
