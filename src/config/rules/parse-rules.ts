import type { z } from 'zod'
import { isUserName } from '../../gateway/agent-id.ts'
import type { AccessRules, AgentRules, Rules } from '../../gateway/policy.ts'
import { isObject } from '../../base/json.ts'
import { describeIssue, typeName } from '../issues.ts'
import { didYouMean } from '../../base/nearest.ts'
import { type Problem, formatPath } from '../problem.ts'
import { KNOWN_KEYS, rulesFileSchema } from './rules-schema.ts'

/** What one file says; whether callers need a name may be left to another. */
export interface RulesFile extends Pick<Rules, 'agents'> {
  readonly denyOnMissingAgent?: boolean | undefined
  /** Of a file that nobody has trusted: it can only take away what others allow. */
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
  const parsed = rulesFileSchema.safeParse(content)
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const path = formatPath(issue.path)
      const message = `${placeName(issue.path)} ${describeIssue(issue, content)}`
      problems.push({
        file,
        path,
        message: issue.path.length === 0 ? `must be an object, got ${typeName(content)}` : message,
      })
    }
    return { rules: undefined, problems, warnings }
  }

  for (const stray of strayKeys(parsed.data)) {
    // In a file that grants rights, a misspelt `deny` must not be read as no `deny`.
    if (stray.hint !== undefined) problems.push({ file, ...stray })
    else warnings.push(`${stray.path}: ${stray.message}`)
  }
  for (const [id, agent] of Object.entries(parsed.data.agents ?? {})) {
    problems.push(...agentProblems(id, agent).map((problem) => ({ file, ...problem })))
    warnings.push(...emptyLists(id, agent))
  }
  if (problems.length > 0) return { rules: undefined, problems, warnings }
  const rules = {
    agents: parsed.data.agents ?? {},
    denyOnMissingAgent: parsed.data.defaults?.deny_on_missing_agent,
  }
  return { rules, problems, warnings }
}

/** Servers that rules speak of and nobody configured: worth a word, never an error. */
export function undefinedServers(
  rules: Pick<Rules, 'agents'>,
  servers: { has(name: string): boolean },
): string[] {
  const warnings: string[] = []
  for (const [id, agent] of Object.entries(rules.agents)) {
    for (const { effect, access } of sides(agent)) {
      const check = (name: string, key: string) => {
        if (name !== '*' && !servers.has(name)) {
          warnings.push(`Agent "${id}" ${effect}.${key} references undefined server "${name}"`)
        }
      }
      for (const name of access.servers ?? []) check(name, 'servers')
      for (const name of Object.keys(access.tools ?? {})) check(name, 'tools')
    }
  }
  return warnings
}

type Complaint = Omit<Problem, 'file'>

function agentProblems(id: string, agent: AgentRules): Complaint[] {
  const found: Complaint[] = []
  if (id === '') found.push({ path: 'agents', message: 'Agent ID must not be empty' })
  else if (!isUserName(id)) {
    const message = `Agent ID "${id}" contains invalid characters - only letters, digits, "_", ".", "-", "@" and "+" are allowed`
    found.push({ path: `agents.${id}`, message })
  }
  for (const { effect, access } of sides(agent)) {
    const prefix = `agents.${id}.${effect}`
    const serverName = (name: string, path: string) => {
      if (name !== '*' && name.includes('*')) {
        const message = `Agent "${id}" ${effect}: server "${name}" contains a wildcard - only a whole name or "*" is allowed`
        found.push({ path, message })
      }
    }
    access.servers?.forEach((name, index) => serverName(name, `${prefix}.servers[${index}]`))
    for (const [server, patterns] of Object.entries(access.tools ?? {})) {
      serverName(server, `${prefix}.tools.${server}`)
      patterns.forEach((pattern, index) => {
        const complaint = patternComplaint(pattern)
        if (complaint === undefined) return
        const message = `Agent "${id}" ${effect}.tools.${server}[${index}]: pattern "${pattern}" ${complaint}`
        found.push({ path: `${prefix}.tools.${server}[${index}]`, message })
      })
    }
  }
  return found
}

/** Not what everybody expects of it, so it is said. */
function emptyLists(id: string, agent: AgentRules): string[] {
  return sides(agent).flatMap(({ effect, access }) =>
    Object.entries(access.tools ?? {})
      .filter(([, patterns]) => patterns.length === 0)
      .map(([server]) => {
        const meaning =
          effect === 'deny'
            ? 'denies nothing; leave it out, or deny "*"'
            : `allows no tool of "${server}"; leave it out to allow all`
        return `agents.${id}.${effect}.tools.${server}: an empty list ${meaning}`
      }),
  )
}

function patternComplaint(pattern: string): string | undefined {
  if (pattern === '') return 'must not be empty'
  const first = pattern.indexOf('*')
  if (first === -1) return undefined
  if (pattern.includes('*', first + 1)) return 'contains multiple wildcards - only one allowed'
  const atEdge = first === 0 || first === pattern.length - 1
  return atEdge ? undefined : 'has a wildcard in the middle - it must be at start, end, or alone'
}

function sides(agent: AgentRules): { effect: 'allow' | 'deny'; access: AccessRules }[] {
  return (['allow', 'deny'] as const).flatMap((effect) => {
    const access = agent[effect]
    return access === undefined ? [] : [{ effect, access }]
  })
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
  return found
}

function placeName(path: readonly PropertyKey[]): string {
  if (path[0] !== 'agents' || path.length === 1) return `"${formatPath(path)}"`
  const [, id, ...rest] = path
  return rest.length === 0
    ? `Agent "${String(id)}"`
    : `Agent "${String(id)}": "${formatPath(rest)}"`
}
