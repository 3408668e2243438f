import { join } from 'node:path'
import type { Environment } from '../../base/environment.ts'
import { loadParts } from '../../config/load.ts'
import { substitute } from '../../config/secrets/variables.ts'
import { NAME } from '../connect/connect-client.ts'
import { type PlannedServer, isPortolan, isTaken, planImport } from '../clients/plan-import.ts'
import type { Secrets } from '../../config/secrets/hide-secrets.ts'
import { toServerEntry } from '../clients/to-server-entry.ts'
import { type McpClient, isTeamFile } from '../clients/client.ts'
import type { Machine } from '../clients/machine.ts'
import { serversIn } from '../clients/servers-file.ts'
import {
  type FoundEntry,
  readClientConfigs,
  readConfig,
  valueAt,
} from '../clients/read-client-configs.ts'

/** An entry that a client keeps, and why. */
export interface Kept {
  readonly found: FoundEntry
  readonly reason: string
  /** Its client is configured to leave it to Portolan, which reads the same file. */
  readonly isLeft?: boolean
}

export interface AdoptPlan {
  /** The servers that go behind Portolan, each with the clients' entries that it replaces. */
  readonly moved: readonly PlannedServer[]
  readonly kept: readonly Kept[]
  /** Messages about files that exist but cannot be read. */
  readonly problems: readonly string[]
}

export interface PlanAdoptOptions {
  readonly machine: Machine
  readonly clients: readonly McpClient[]
  /** The user's servers file. */
  readonly target: string
  /** Values for `${VARIABLES}`: the environment and the stored secrets. */
  readonly variables: Environment
  readonly secrets: Secrets
}

const PROJECT_FILE = '.mcp.json'

/** Decides which entries of which clients move behind Portolan. Nothing is written or started. */
export function planAdopt(options: PlanAdoptOptions): AdoptPlan {
  const { machine, target, variables, secrets } = options
  const { entries, problems } = readClientConfigs(options.clients, machine)
  const kept: Kept[] = []
  const served = servedHere(machine)
  const movable = entries.filter((found) => {
    if (isUs(found, machine) || isIgnored(found, machine)) return false
    const reason = whyItStays(found, machine, variables)
    const isShared = found.clientConfig.file === join(machine.cwd, PROJECT_FILE)
    const isLeft = isShared && served.has(found.name)
    const why = isShared ? (isLeft ? LEFT : UNTRUSTED) : reason
    if (why !== undefined) kept.push({ found, reason: why, isLeft })
    return why === undefined
  })
  const planned = planImport(movable, {
    machine,
    present: serversIn(target),
    onConflict: 'rename',
    allProjects: false,
    project: false,
    secrets,
  })
  for (const { found, reason = '' } of planned.filter((plan) => !isMoved(plan)))
    kept.push(...found.map((each) => ({ found: each, reason })))
  return { moved: planned.filter(isMoved), kept, problems }
}

/** A server that Portolan already has moves too, because its client no longer needs it. */
function isMoved(plan: PlannedServer): boolean {
  return isTaken(plan) || plan.outcome === 'there'
}

/** Returns the servers Portolan takes from the project's own file: none until it is trusted. */
function servedHere({ cwd, env }: Machine): ReadonlySet<string> {
  const { layers } = loadParts({ cwd, env }).mcp
  const own = layers.filter(({ path }) => path === join(cwd, PROJECT_FILE))
  return new Set(own.flatMap(({ value }) => [...(value?.keys() ?? [])]))
}

const UNTRUSTED =
  'Portolan does not use the file of this folder before it is trusted: portolan trust, then adopt again'
const LEFT = 'Portolan reads the same file, so its client leaves it to Portolan'

/** Whether this is an entry of the project's `.mcp.json` that Claude Code is set to ignore. */
export function isIgnored({ client, clientConfig, name }: FoundEntry, machine: Machine): boolean {
  if (client.id !== 'claude-code' || clientConfig.file !== join(machine.cwd, PROJECT_FILE))
    return false
  const { value } = ignoredServers(machine)
  return value.includes(name)
}

/** Returns where Claude Code stores which servers of `.mcp.json` this user has disabled. */
export function ignoredServers({ cwd }: Machine) {
  const file = join(cwd, '.claude', 'settings.local.json')
  const path = ['disabledMcpjsonServers']
  const value = valueAt(readConfig({ file, format: 'json' }), path)
  return { file, path, value: Array.isArray(value) ? value.map(String) : [] }
}

/** Whether this is the entry of Portolan itself. */
export function isUs(found: FoundEntry, machine: Machine): boolean {
  if (found.name === NAME) return true
  const converted = toServerEntry(found, machine)
  return 'entry' in converted && isPortolan(converted.entry)
}

/** Returns why an entry stays: others share its file, or it would not work behind Portolan. */
function whyItStays(
  found: FoundEntry,
  machine: Machine,
  variables: Environment,
): string | undefined {
  const { client, clientConfig, elsewhere } = found
  if (elsewhere !== undefined) return `it belongs to another project, ${elsewhere}`
  if (isTeamFile(clientConfig, machine))
    return `${clientConfig.file} belongs to the project: other people may need it there`
  const converted = toServerEntry(found, machine)
  if ('problem' in converted) return converted.problem
  const { missing } = substitute(converted.entry, variables)
  if (missing.length === 0) return undefined
  return `it needs ${missing.join(', ')}, which ${client.name} knows and Portolan does not: store ${missing.length === 1 ? 'it' : 'each'} with \`portolan secrets set\`, and adopt again`
}
