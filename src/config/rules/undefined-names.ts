import { compilePattern } from '../../base/text/glob.ts'
import { didYouMean } from '../../base/text/nearest.ts'
import type { AccessRules, AgentRules, AskRules, Rules } from '../../gateway/agents/rules.ts'

type RulesOfAll = Pick<Rules, 'agents' | 'groups'>

/** Warns of servers in rules that no configuration has: most of them are misspelt. */
export function undefinedServers(
  rules: RulesOfAll,
  servers: { has(name: string): boolean; keys(): Iterable<string> },
): string[] {
  const warnings: string[] = []
  for (const { title, rules: own } of subjects(rules)) {
    for (const { effect, access } of sides(own)) {
      const check = (name: string, key: string) => {
        if (name === '*' || servers.has(name)) return
        const warning = `${title} ${effect}.${key} references undefined server "${name}"`
        warnings.push(withNearest(warning, name, servers.keys()))
      }
      for (const name of access.servers ?? []) check(name, 'servers')
      for (const name of Object.keys(access.tools ?? {})) check(name, 'tools')
    }
  }
  return warnings
}

/**
 * Warns of names and patterns of tools that fit no tool of their server. `toolsOf` returns what a
 * server has listed; a server that has listed nothing yet may have any tool.
 */
export function undefinedTools(
  rules: RulesOfAll,
  toolsOf: (server: string) => readonly string[],
): string[] {
  const warnings: string[] = []
  for (const { title, rules: own } of subjects(rules))
    for (const { effect, access } of sides(own))
      for (const [server, entries] of Object.entries(access.tools ?? {})) {
        const known = toolsOf(server)
        for (const entry of known.length > 0 ? entries : []) {
          const pattern = typeof entry === 'string' ? entry : entry.tool
          if (known.some(compilePattern(pattern))) continue
          const warning = `${title} ${effect}.tools references "${pattern}", which is no tool of server "${server}"`
          warnings.push(withNearest(warning, pattern, known))
        }
      }
  return warnings
}

function withNearest(warning: string, name: string, known: Iterable<string>): string {
  const hint = didYouMean(name, known)
  return hint === undefined ? warning : `${warning}. ${hint}`
}

/** Returns the agents and groups that have rules, with their names for messages. */
function subjects({ agents, groups = {} }: Pick<Rules, 'agents' | 'groups'>) {
  return [
    ...Object.entries(agents).map(([id, rules]) => ({ title: `Agent "${id}"`, rules })),
    ...Object.entries(groups).map(([name, rules]) => ({ title: `Group "${name}"`, rules })),
  ]
}

/** The lists of an agent or a group, by what they do. */
export function sides(
  agent: AgentRules,
): { effect: 'allow' | 'ask' | 'deny'; access: AccessRules | AskRules }[] {
  return (['allow', 'ask', 'deny'] as const).flatMap((effect) => {
    const access = agent[effect]
    return access === undefined ? [] : [{ effect, access }]
  })
}
