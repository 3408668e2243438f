import { isDeepStrictEqual } from 'node:util'
import type { GroupRules } from '../../gateway/agents/rules.ts'
import type {
  AccessRules,
  AgentRules,
  AskRules,
  DenyRules,
  Rules,
  ToolEntry,
} from '../../gateway/agents/rules.ts'

/** The differences between two versions of the rules, as sentences. */
export interface RulesDifference {
  readonly narrower: readonly string[]
  readonly wider: readonly string[]
}

type Effect = 'permits' | 'forbids'

/** What rules say, one statement after the other. */
type Statements = ReadonlyMap<string, Effect>

type Patterns = NonNullable<AccessRules['tools']>

/** Tells what takes rights away from what grants them. */
export function compareRules(before: Rules, after: Rules): RulesDifference {
  const found = [
    ...compareSubjects('agent', before.agents, after.agents),
    ...compareSubjects('group', before.groups ?? {}, after.groups ?? {}),
    ...(before.denyOnMissingAgent === after.denyOnMissingAgent
      ? []
      : [change('defaults.deny_on_missing_agent changed', !after.denyOnMissingAgent)]),
  ]
  return {
    narrower: found.flatMap(({ isWider, text }) => (isWider ? [] : text)),
    wider: found.flatMap(({ isWider, text }) => (isWider ? text : [])),
  }
}

interface Change {
  readonly text: string
  readonly isWider: boolean
}

function change(text: string, isWider: boolean): Change {
  return { text, isWider }
}

const added = (text: string, effect: Effect) => change(`${text} added`, effect === 'permits')
const removed = (text: string, effect: Effect) => change(`${text} removed`, effect === 'forbids')

type Subject = AgentRules & Partial<GroupRules>
type Table<Value> = Readonly<Record<string, Value>>

function compareSubjects(what: string, old: Table<Subject>, fresh: Table<Subject>): Change[] {
  return namesIn(old, fresh).flatMap((name) => {
    const [was, is] = [old[name], fresh[name]]
    const title = `${what} "${name}"`
    if (was === undefined) return added(title, 'permits')
    if (is === undefined) return removed(title, 'permits')
    return compareSubject(title, was, is)
  })
}

function compareSubject(title: string, was: Subject, is: Subject): Change[] {
  const [said, says] = [statementsOf(was), statementsOf(is)]
  return [
    ...newIn(says, said).map(([text, effect]) => added(`${title}: ${text}`, effect)),
    ...newIn(said, says).map(([text, effect]) => removed(`${title}: ${text}`, effect)),
    ...comparePatterns(title, was.allow?.tools ?? {}, is.allow?.tools ?? {}),
    // Whoever leaves a group loses its rights now; whoever joins it gains them later.
    ...(isDeepStrictEqual(was.match, is.match)
      ? []
      : [
          change(`${title}: members by the old "match" alone removed`, false),
          change(`${title}: members by the new "match" alone added`, true),
        ]),
  ]
}

function newIn(one: Statements, other: Statements): [string, Effect][] {
  return [...one].filter(([text]) => !other.has(text))
}

function comparePatterns(title: string, old: Patterns, fresh: Patterns): Change[] {
  return namesIn(old, fresh).flatMap((server) => {
    const [was, is] = [old[server], fresh[server]]
    const list = `${title}: allow.tools.${server}`
    // Without such a list, every tool of the server is allowed.
    if (was === undefined) return added(list, 'forbids')
    if (is === undefined) return removed(list, 'forbids')
    const only = (one: readonly ToolEntry[], other: readonly ToolEntry[]) => {
      const known = new Set(other.map(quote))
      return one
        .map(quote)
        .filter((entry) => !known.has(entry))
        .map((entry) => `${list} ${entry}`)
    }
    return [
      ...only(is, was).map((text) => added(text, 'permits')),
      ...only(was, is).map((text) => removed(text, 'permits')),
    ]
  })
}

function namesIn(old: Table<unknown>, fresh: Table<unknown>): string[] {
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])]
}

/** Returns what rules say, but for the lists of allowed tools. */
function statementsOf({ allow, ask, deny }: AgentRules): Statements {
  const permits = [...serversOf('allow', allow), ...(allow?.scripts ? ['allow.scripts'] : [])]
  const forbids = [...narrowing('deny', deny), ...narrowing('ask', ask)]
  return new Map<string, Effect>([
    ...permits.map((text) => [text, 'permits'] as const),
    ...forbids.map((text) => [text, 'forbids'] as const),
  ])
}

function narrowing(side: string, rules: DenyRules | AskRules = {}): string[] {
  const { tools = {}, effects = [] } = rules
  return [
    ...serversOf(side, { servers: rules.servers }),
    ...Object.entries(tools).flatMap(([server, patterns]) =>
      patterns.map((pattern) => `${side}.tools.${server} ${quote(pattern)}`),
    ),
    ...effects.map((effect) => `${side}.effects ${quote(effect)}`),
  ]
}

function quote(name: ToolEntry): string {
  return JSON.stringify(name)
}

function serversOf(side: string, { servers = [] }: Pick<AccessRules, 'servers'> = {}): string[] {
  return servers.map((server) => `${side}.servers ${quote(server)}`)
}
