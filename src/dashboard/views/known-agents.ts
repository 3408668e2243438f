import type { KnownNames } from '../../identity/who-is.ts'
import type { AgentRow } from '../contract/agents.ts'
import type { Sources } from '../sources.ts'

/** Callers choose their names, so only this many unconfigured agents are shown. */
const MAX_SEEN = 100
/** The names under which metrics combine several agents. */
const NOT_AGENTS = new Set(['unknown', 'other'])

/** Returns every agent that is configured or was seen, with the source that has it first. */
export function knownAgents(
  config: Sources['config'],
  { keyed, users }: KnownNames,
  seen: readonly string[],
): Map<string, AgentRow['source']> {
  const found = new Map<string, AgentRow['source']>()
  const add = (source: AgentRow['source'], ids: readonly string[]) => {
    for (const id of ids) if (!found.has(id)) found.set(id, source)
  }
  add('rules', Object.keys(config.rules?.agents ?? {}))
  add('settings', Object.keys(config.settings.agents))
  add('keys', keyed)
  add(
    'users',
    users.map(({ name }) => name),
  )
  add('seen', seen.filter((id) => !NOT_AGENTS.has(id)).slice(0, MAX_SEEN))
  add('other', ['*'])
  return found
}
