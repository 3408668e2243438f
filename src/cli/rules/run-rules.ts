import { type LoadOptions, loadConfig, loadSettings } from '../../config/load.ts'
import { conditionsReady } from '../../gateway/conditions/condition.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type Range, recordedCalls } from '../shared/audit/recorded-calls.ts'
import { withStoredConfig } from '../shared/with-database.ts'
import { Replay } from '../../telemetry/audit/replay.ts'
import type { AgentRules } from '../../gateway/agents/rules.ts'
import { getOrMake } from '../../base/maps.ts'
import type { AuditLine } from '../../telemetry/audit/audit-line.ts'

export async function replayRules(
  load: LoadOptions,
  range: Range,
): Promise<{ replay: Replay; path: string }> {
  const { rules, settings, paths } = loadConfig(await withStoredConfig(load))
  if (!rules || paths.rules === undefined)
    throw new GatewayError('INVALID_PARAMS', 'There are no rules to try', {
      hint: 'Name a file: portolan rules replay <file>. A first one: portolan rules suggest',
    })
  const replay = new Replay(rules)
  await conditionsReady()
  await recordedCalls(settings, range, (line) => replay.add(line))
  return { replay, path: paths.rules }
}

export async function suggestRules(load: LoadOptions, range: Range): Promise<SuggestedRules> {
  const suggestion = new Suggestion()
  const settings = loadSettings(await withStoredConfig(load))
  await recordedCalls(settings, range, (line) => suggestion.add(line))
  return suggestion.rules()
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

  rules(): SuggestedRules {
    const agents = [...this.#used].toSorted(byName).map(([id, used]) => [id, rulesFor(used)])
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

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a.localeCompare(b)
}
