import { type LoadOptions, loadConfig, loadSettings } from '../../config/load.ts'
import { conditionsReady } from '../../gateway/conditions/condition.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type Range, recordedCalls } from '../shared/audit/recorded-calls.ts'
import { withStoredConfig } from '../shared/with-database.ts'
import { Replay } from '../../telemetry/audit/replay.ts'
import type { Proposal, RuleQuestions } from '../../telemetry/audit/questions.ts'
import type { AgentRules, AskRules, Rules } from '../../gateway/agents/rules.ts'
import { type Effect, effectOf } from '../../gateway/tools/effect.ts'
import type { Settings } from '../../config/settings/settings.ts'
import { getOrMake } from '../../base/maps.ts'
import type { AuditLine } from '../../telemetry/audit/audit-line.ts'

export interface ReplayedRules {
  readonly replay: Replay
  readonly proposals: readonly Proposal[]
  /** The file of the rules. */
  readonly path: string
}

export async function replayRules(load: LoadOptions, range: Range): Promise<ReplayedRules> {
  const { rules, settings, paths } = loadConfig(await withStoredConfig(load))
  if (!rules || paths.rules === undefined)
    throw new GatewayError('INVALID_PARAMS', 'There are no rules to try', {
      hint: 'Name a file: portolan rules replay <file>. A first one: portolan rules suggest',
    })
  return { ...(await replayed(rules, settings, range)), path: paths.rules }
}

async function replayed(rules: Rules, settings: Settings, range: Range) {
  const replay = new Replay(rules)
  await conditionsReady()
  await recordedCalls(settings, range, (line) => replay.add(line))
  return { replay, proposals: await replay.questions.proposals() }
}

/**
 * Returns rules for what was used. With effects to ask about, the entries leave out what was usual,
 * and the questions are those that are left.
 */
export async function suggestRules(
  load: LoadOptions,
  range: Range,
  asked: readonly Effect[] = [],
): Promise<{ readonly rules: SuggestedRules; readonly questions: readonly RuleQuestions[] }> {
  const suggestion = new Suggestion()
  const settings = loadSettings(await withStoredConfig(load))
  await recordedCalls(settings, range, (line) => suggestion.add(line))
  const plain = suggestion.rules(asked)
  if (asked.length === 0) return { rules: plain, questions: [] }
  const judge = async ({ agents }: SuggestedRules) =>
    replayed({ agents, denyOnMissingAgent: true }, settings, range)
  const rules = suggestion.rules(asked, (await judge(plain)).proposals)
  return { rules, questions: (await judge(rules)).replay.questions.all() }
}

/** Rules that allow only what was used, with the keys of the rules file. */
interface SuggestedRules {
  readonly agents: Readonly<Record<string, AgentRules>>
  readonly defaults: { readonly deny_on_missing_agent: true }
}

/** Collects what each agent used; the calls of a sub-agent count for the agents it derives from. */
export class Suggestion {
  readonly #used = new Map<string, Map<string, Set<string>>>()

  add({ agent_id: agent, decision, metadata }: AuditLine): void {
    const { server, tool, rule, on_behalf_of: ancestors } = metadata
    if (agent === null || server === undefined || rule === undefined || decision === 'DENY') return
    for (const id of ancestors ?? [agent]) {
      const servers = getOrMake(this.#used, id, () => new Map<string, Set<string>>())
      const tools = getOrMake(servers, server, () => new Set<string>())
      if (tool !== undefined) tools.add(tool)
    }
  }

  rules(asked: readonly Effect[] = [], proposals: readonly Proposal[] = []): SuggestedRules {
    const agents = [...this.#used].toSorted(byName).map(([id, used]) => {
      const tools = askAbout(used, asked, (path) =>
        proposals.find(({ rule }) => rule === `agents.${id}.ask.tools.${path}`),
      )
      return [id, { ...rulesFor(used), ...(tools && { ask: { tools } }) }]
    })
    return { agents: Object.fromEntries(agents), defaults: { deny_on_missing_agent: true } }
  }
}

function rulesFor(used: ReadonlyMap<string, ReadonlySet<string>>): AgentRules {
  const servers = [...used].toSorted(byName)
  const called = servers.filter(([, tools]) => tools.size > 0)
  // Without a list, all tools of a server are allowed; if none was called, deny them all.
  const untouched = servers.filter(([, tools]) => tools.size === 0)
  return {
    allow: {
      servers: servers.map(([server]) => server),
      tools: Object.fromEntries(called.map(([server, tools]) => [server, [...tools].toSorted()])),
    },
    ...(untouched.length > 0 && {
      deny: { tools: Object.fromEntries(untouched.map(([server]) => [server, ['*']])) },
    }),
  }
}

/** Returns an entry for each used tool with one of these effects, by its name; undefined if none. */
function askAbout(
  used: ReadonlyMap<string, ReadonlySet<string>>,
  asked: readonly Effect[],
  proposalAt: (path: string) => Proposal | undefined,
): AskRules['tools'] {
  const lists = [...used].toSorted(byName).flatMap(([server, tools]) => {
    const names = [...tools]
      .toSorted()
      .filter((name) => asked.includes(effectOf({ name, definition: {} })))
    const entries = names.map((tool, at) => {
      const proposal = proposalAt(`${server}[${at}]`)
      return proposal ? { tool, unless: [proposal.unless] } : tool
    })
    return entries.length > 0 ? [[server, entries] as const] : []
  })
  return lists.length > 0 ? Object.fromEntries(lists) : undefined
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a.localeCompare(b)
}
