import type { z } from 'zod'
import { isUserName } from '../../gateway/agents/agent-id.ts'
import {
  type AgentRules,
  type AskEntry,
  type GroupRules,
  type Rules,
  type ToolEntry,
  isToolException,
} from '../../gateway/agents/rules.ts'
import { type ConditionProblem, checkCondition } from './check-condition.ts'
import { isObject } from '../../base/json/json.ts'
import { READ_ONCE, describeIssue, typeName } from '../issues.ts'
import { didYouMean } from '../../base/text/nearest.ts'
import { type Problem, formatPath } from '../problem.ts'
import { KNOWN_KEYS, rulesFileSchema } from './rules-schema.ts'
import { sides } from './undefined-names.ts'

/** The rules of one file; `denyOnMissingAgent` may be left to another file. */
export interface RulesFile extends Pick<Rules, 'agents' | 'groups'> {
  readonly denyOnMissingAgent?: boolean | undefined
  /** Set for a file that nobody has trusted, which can only deny what others allow. */
  readonly deniesOnly?: true
}

export interface ParsedRules {
  readonly rules: RulesFile | undefined
  readonly problems: readonly Problem[]
  readonly warnings: readonly string[]
}

/** Reads the content of `.mcp-gateway-rules.json`. */
export function parseRules(content: unknown, file: string): ParsedRules {
  const problems: Problem[] = []
  const warnings: string[] = []
  const parsed = rulesFileSchema.safeParse(content, READ_ONCE)
  if (!parsed.success)
    return {
      rules: undefined,
      problems: parsed.error.issues.map((issue) => ({ file, ...shapeProblem(issue, content) })),
      warnings,
    }

  for (const stray of strayKeys(parsed.data)) {
    // In a file that grants rights, a misspelt `deny` must not be read as no `deny`.
    if (stray.hint !== undefined) problems.push({ file, ...stray })
    else warnings.push(`${stray.path}: ${stray.message}`)
  }
  const { agents = {}, groups, defaults } = parsed.data
  for (const [id, agent] of Object.entries(agents)) {
    problems.push(...agentProblems(id, agent).map((problem) => ({ file, ...problem })))
    warnings.push(...emptyLists({ kind: 'agents', name: id }, agent))
  }
  for (const [name, group] of Object.entries(groups ?? {})) {
    problems.push(...groupProblems(name, group).map((problem) => ({ file, ...problem })))
    warnings.push(...emptyLists({ kind: 'groups', name }, group))
  }
  if (problems.length > 0) return { rules: undefined, problems, warnings }
  const denyOnMissingAgent = defaults?.deny_on_missing_agent
  return { rules: { agents, ...(groups && { groups }), denyOnMissingAgent }, problems, warnings }
}

function shapeProblem(issue: z.core.$ZodIssue, content: unknown): Omit<Problem, 'file'> {
  const isWhole = issue.path.length === 0
  return {
    path: formatPath(issue.path),
    message: isWhole
      ? `must be an object, got ${typeName(content)}`
      : `${placeName(issue.path)} ${describeIssue(issue, content)}`,
  }
}

type Complaint = Omit<Problem, 'file'>

/** Reports a group that selects nobody, which would silently not apply. */
function groupProblems(name: string, { match, ...rules }: GroupRules): Complaint[] {
  const path = `groups.${name}.match`
  const { user, agent, client, claim, any, all } = match
  const found = accessProblems({ path: `groups.${name}`, title: `Group "${name}"` }, rules)
  if ([user, agent, client, claim].every((part) => part === undefined))
    found.push({
      path,
      message: `Group "${name}": "match" selects nobody - it needs "user", "agent", "client" or "claim"`,
    })
  const hasValues = (any?.length ?? 0) + (all?.length ?? 0) > 0
  if ((claim !== undefined) !== hasValues)
    found.push({
      path,
      message: `Group "${name}": "claim" needs "any" or "all", and these need it`,
    })
  return found
}

function agentProblems(id: string, agent: AgentRules): Complaint[] {
  const found: Complaint[] = []
  if (id === '') found.push({ path: 'agents', message: 'Agent ID must not be empty' })
  else if (!isUserName(id)) {
    const message = `Agent ID "${id}" contains invalid characters - only letters, digits, "_", ".", "-", "@" and "+" are allowed`
    found.push({ path: `agents.${id}`, message })
  }
  found.push(...accessProblems({ path: `agents.${id}`, title: `Agent "${id}"` }, agent))
  return found
}

interface Where {
  readonly path: string
  /** Its name in messages. */
  readonly title: string
}

function accessProblems(where: Where, rules: AgentRules): Complaint[] {
  const found: Complaint[] = []
  for (const { effect, access } of sides(rules)) {
    const prefix = `${where.path}.${effect}`
    const serverName = (name: string, path: string) => {
      if (name !== '*' && name.includes('*')) {
        const message = `${where.title} ${effect}: server "${name}" contains a wildcard - only a whole name or "*" is allowed`
        found.push({ path, message })
      }
    }
    access.servers?.forEach((name, index) => serverName(name, `${prefix}.servers[${index}]`))
    for (const [server, patterns] of Object.entries(access.tools ?? {})) {
      serverName(server, `${prefix}.tools.${server}`)
      patterns.forEach((entry, index) => {
        const place = `tools.${server}[${index}]`
        for (const { path, message } of entryProblems(entry, effect))
          found.push({
            path: `${prefix}.${place}${path}`,
            message: `${where.title} ${effect}.${place}${path}: ${message}`,
          })
      })
    }
  }
  return found
}

/** Warns about empty lists, whose meaning is not obvious. */
function emptyLists(
  { kind, name }: { kind: 'agents' | 'groups'; name: string },
  rules: AgentRules,
): string[] {
  return sides(rules).flatMap(({ effect, access }) =>
    Object.entries(access.tools ?? {})
      .filter(([, patterns]) => patterns.length === 0)
      .map(([server]) => {
        const meaning =
          effect !== 'allow'
            ? NOTHING[effect]
            : `allows no tool of "${server}"; leave it out to allow all`
        return `${kind}.${name}.${effect}.tools.${server}: an empty list ${meaning}`
      }),
  )
}

const NOTHING = {
  deny: 'denies nothing; leave it out, or deny "*"',
  ask: 'asks about nothing; leave it out, or ask about "*"',
} as const

const EXCEPTION_KEYS: ReadonlySet<string> = new Set(KNOWN_KEYS.exception)

function entryProblems(
  entry: ToolEntry | AskEntry,
  effect: 'allow' | 'ask' | 'deny',
): readonly ConditionProblem[] {
  if (typeof entry === 'string') return patternProblems(entry, '')
  const known: readonly string[] = effect === 'ask' ? KNOWN_KEYS.askEntry : KNOWN_KEYS.entry
  const unknown = Object.keys(entry).filter((key) => !known.includes(key))
  const conditions = [
    ...(entry.when === undefined ? [] : [{ at: '.when', schema: entry.when }]),
    ...('unless' in entry ? (entry.unless ?? []) : []).map((each, at) =>
      isToolException(each) && Object.keys(each).every((key) => EXCEPTION_KEYS.has(key))
        ? { at: `.unless[${at}].when`, schema: each.when }
        : { at: `.unless[${at}]`, schema: each },
    ),
  ]
  return [
    ...patternProblems(entry.tool, '.tool'),
    // Without the condition that it was meant to be, the entry would be about every call.
    ...unknown.map((key) => ({
      path: `.${key}`,
      message: `unknown key, expected ${known.map((name) => `"${name}"`).join(' or ')}`,
    })),
    ...conditions.flatMap(({ at, schema }) =>
      checkCondition(schema).map(({ path, message }) => ({ path: `${at}${path}`, message })),
    ),
  ]
}

function patternProblems(pattern: string, path: string): readonly ConditionProblem[] {
  const complaint = patternComplaint(pattern)
  return complaint === undefined ? [] : [{ path, message: `pattern "${pattern}" ${complaint}` }]
}

function patternComplaint(pattern: string): string | undefined {
  if (pattern === '') return 'must not be empty'
  const first = pattern.indexOf('*')
  if (first === -1) return undefined
  if (pattern.includes('*', first + 1)) return 'contains multiple wildcards - only one allowed'
  const atEdge = first === 0 || first === pattern.length - 1
  return atEdge ? undefined : 'has a wildcard in the middle - it must be at start, end, or alone'
}

function strayKeys(content: z.output<typeof rulesFileSchema>): Complaint[] {
  const found: Complaint[] = []
  const scan = (node: unknown, known: readonly string[], path: string) => {
    if (!isObject(node)) return
    for (const key of Object.keys(node)) {
      if (known.includes(key) || /^[$_/#]/.test(key)) continue
      const message = `unknown key "${key}", expected ${known.map((name) => `"${name}"`).join(' or ')}`
      found.push({
        path: path === '' ? key : `${path}.${key}`,
        message,
        hint: didYouMean(key, known),
      })
    }
  }
  scan(content, KNOWN_KEYS.file, '')
  scan(content.defaults, KNOWN_KEYS.defaults, 'defaults')
  for (const [id, agent] of Object.entries(content.agents ?? {})) {
    scan(agent, KNOWN_KEYS.agent, `agents.${id}`)
    for (const { effect, access } of sides(agent)) {
      scan(access, KNOWN_KEYS[effect], `agents.${id}.${effect}`)
    }
  }
  for (const [name, group] of Object.entries(content.groups ?? {})) {
    scan(group, KNOWN_KEYS.group, `groups.${name}`)
    scan(group.match, KNOWN_KEYS.match, `groups.${name}.match`)
    for (const { effect, access } of sides(group))
      scan(access, KNOWN_KEYS[effect], `groups.${name}.${effect}`)
  }
  return found
}

function placeName(path: readonly PropertyKey[]): string {
  if (path[0] !== 'agents' || path.length === 1) return `"${formatPath(path)}"`
  const [, id, ...rest] = path
  return rest.length === 0
    ? `Agent "${String(id)}"`
    : `Agent "${String(id)}": "${formatPath(rest)}"`
}
