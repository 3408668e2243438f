import { knownTools } from '../../app/health/server-tools.ts'
import { compilePattern } from '../../base/text/glob.ts'
import { nearest } from '../../base/text/nearest.ts'
import { loadConfig, loadSettings } from '../../config/load.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { AuditLine } from '../../telemetry/audit/audit-line.ts'
import { type Range, recordedCalls } from '../shared/audit/recorded-calls.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { count, createTerminal } from '../shared/terminal/terminal.ts'
import { withStoredConfig } from '../shared/with-database.ts'

interface ToolsetsFlags {
  readonly config?: string
  readonly json?: true
}

export interface SuggestFlags {
  readonly agent?: string
  readonly name?: string
  readonly config?: string
}

/** Lists the toolsets; patterns that match no tool of a listed server are named. */
export async function listToolsets({ config: path, json }: ToolsetsFlags): Promise<void> {
  const load = await withStoredConfig({ flags: { settings: path } })
  const config = loadConfig(load)
  const known = await knownTools(config)
  const rows = Object.entries(config.settings.toolsets).map(([name, { tools, defaultFor }]) => ({
    name,
    tools,
    defaultFor,
    matching: known.filter((tool) => tools.some((pattern) => compilePattern(pattern)(tool))),
    unmatched: tools.filter((pattern) => !known.some(compilePattern(pattern))),
    address: `${config.settings.listen.path}/${name}`,
  }))
  if (json) return printJson(rows)
  const { line, paint, table } = createTerminal()
  if (rows.length === 0)
    return line('There are no toolsets. A first one: portolan toolsets suggest')
  table(
    rows.map(({ name, matching, address, defaultFor }) => [
      paint('bold', name),
      count(matching.length, 'tool'),
      address,
      paint('gray', defaultFor.length > 0 ? `for ${defaultFor.join(', ')}` : ''),
    ]),
  )
  for (const { name, unmatched } of rows)
    for (const pattern of unmatched) {
      const [near] = nearest(pattern, known, { most: 1 })
      const hint = near === undefined ? '' : ` Did you mean '${near}'?`
      line(`${paint('yellow', '⚠')} ${name}: no known tool matches ${pattern}.${hint}`)
    }
}

/** Prints the settings of a toolset of what was used. */
export async function suggest(flags: SuggestFlags, range: Range): Promise<void> {
  const { agent, name = agent ?? 'used' } = flags
  const settings = loadSettings(await withStoredConfig({ flags: { settings: flags.config } }))
  const used = new UsedTools(agent)
  await recordedCalls(settings, range, (line) => used.add(line))
  const tools = used.names()
  if (tools.length === 0)
    throw new GatewayError(
      'INVALID_PARAMS',
      `No calls${agent ? ` of '${agent}'` : ''} are recorded`,
      {
        hint: 'Look further back with --since 30d.',
      },
    )
  const { stringify } = await import('yaml')
  process.stdout.write(stringify({ toolsets: { [name]: { tools } } }))
}

/** Collects the tools that were called with success; the calls of sub-agents count for their agents. */
export class UsedTools {
  readonly #agent: string | undefined
  readonly #calls = new Map<string, number>()

  constructor(agent: string | undefined) {
    this.#agent = agent
  }

  add({ agent_id: agent, decision, metadata }: AuditLine): void {
    const { server, tool, on_behalf_of: ancestors = [] } = metadata
    if (server === undefined || tool === undefined || decision !== 'ALLOW') return
    if (this.#agent !== undefined && ![agent, ...ancestors].includes(this.#agent)) return
    const name = `${server}.${tool}`
    this.#calls.set(name, (this.#calls.get(name) ?? 0) + 1)
  }

  /** Returns the names, those that are called most first. */
  names(): string[] {
    return [...this.#calls]
      .toSorted(([a, one], [b, other]) => other - one || a.localeCompare(b))
      .map(([name]) => name)
  }
}
