import { loadSettings } from '../../config/load.ts'
import { readSecrets, secretsFile } from '../../config/secrets/secrets-file.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { ClientId } from '../shared/clients/client.ts'
import { CLIENTS } from '../shared/clients/clients.ts'
import type { Machine } from '../shared/clients/machine.ts'
import { parseConfig } from '../shared/clients/parse-config.ts'
import { readClientConfigs } from '../shared/clients/read-client-configs.ts'
import { type Cost, type MeasureOptions, measureCosts } from './measure-costs.ts'
import { type Conflict, type Planned, isTaken, planImport } from './plan-import.ts'
import { appendSecrets } from '../shared/files/append-secrets.ts'
import { editJson } from '../shared/files/edit-json.ts'
import { trustWritten } from '../shared/files/record-trust.ts'
import { replaceFile, textOf } from '../shared/files/replace-file.ts'

export interface ImportOptions {
  readonly machine: Machine
  /** The servers file to merge into. */
  readonly target: string
  readonly clients?: readonly ClientId[] | undefined
  readonly onConflict: Conflict
  readonly allProjects: boolean
  readonly project?: boolean | undefined
  readonly count: boolean
  readonly timeoutMs: number
  readonly keepSecrets: boolean
  readonly dryRun: boolean
  readonly onProgress?: MeasureOptions['onProgress']
}

export interface ImportReport {
  readonly target: string
  readonly planned: readonly Planned[]
  readonly costs: ReadonlyMap<Planned, Cost>
  /** Files that could not be read, and what to do. */
  readonly problems: readonly string[]
  /** The variables that now stand for secrets. */
  readonly variables: readonly string[]
  readonly secretsFile: string | undefined
  /** Whether servers or secrets were written. */
  readonly written: boolean
}

/** Finds the servers of other clients, counts what they cost, and merges them into `.mcp.json`. */
export async function runImport(options: ImportOptions): Promise<ImportReport> {
  const { machine, target, clients, dryRun } = options
  const { home } = loadSettings({ env: machine.env, cwd: machine.cwd })
  const wanted = CLIENTS.filter(({ id }) => clients?.includes(id) ?? true)
  const { entries, problems } = readClientConfigs(wanted, machine)
  const text = textOf(target)
  const present = serversIn(text, target)
  const kept = new Map(Object.entries(readSecrets(home)).map(([k, v]) => [k, v ?? ''] as const))
  const secrets = new Map(kept)
  const planned = planImport(
    // The target may itself be the file of a client.
    entries.filter(({ clientConfig }) => clientConfig.file !== target),
    {
      machine,
      present,
      onConflict: options.onConflict,
      allProjects: options.allProjects,
      project: options.project ?? false,
      secrets,
    },
  )
  // Servers of other projects are not started.
  const here = planned.filter(({ outcome }) => outcome !== 'elsewhere')
  const costs = options.count ? await measureCosts(here, options) : new Map<Planned, Cost>()
  const taken = planned.filter(isTaken)
  const fresh = new Map([...secrets].filter(([name]) => !kept.has(name)))
  const hasSecrets = fresh.size > 0 && options.keepSecrets
  if (!dryRun && taken.length > 0) {
    const after = writeServers(target, text, taken)
    trustWritten(machine, target, { before: text, after })
  }
  if (!dryRun && hasSecrets) appendSecrets(secretsFile(home), fresh)
  return {
    target,
    planned,
    costs,
    problems,
    variables: [...fresh.keys()],
    secretsFile: hasSecrets ? secretsFile(home) : undefined,
    written: !dryRun && (taken.length > 0 || hasSecrets),
  }
}

function serversIn(text: string, file: string): JsonObject {
  const servers = parseConfig(text, { file, format: 'json' })['mcpServers']
  return isObject(servers) ? servers : {}
}

/** Adds the entries to the servers file, whose other content and layout stay. */
function writeServers(target: string, text: string, taken: readonly Planned[]): string {
  let edited = text
  // Each edit inserts its entry first, so they run in reverse order.
  for (const { name, hidden } of taken.toReversed())
    edited = editJson(edited, ['mcpServers', name], hidden)
  const whole = edited.endsWith('\n') ? edited : `${edited}\n`
  replaceFile(target, whole)
  return whole
}
