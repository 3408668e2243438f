import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../base/json/json.ts'
import type { FoundEntry } from './read-client-configs.ts'
import { isAccepted } from './client.ts'
import type { Machine } from './machine.ts'
import type { Edit } from './edit-config.ts'
import { type Secrets, hideSecrets } from '../../config/secrets/hide-secrets.ts'
import { toServerEntry } from './to-server-entry.ts'

export type Conflict = 'keep' | 'rename' | 'replace'

/** One server that was found, and what happens to it. */
export interface PlannedServer {
  /** Its name in `.mcp.json`; differs from the client's if two servers have the same name. */
  readonly name: string
  readonly found: readonly FoundEntry[]
  /** The client's entry, secrets included; undefined if it cannot be imported. */
  readonly entry: JsonObject | undefined
  /** The entry for `.mcp.json`, with `${VARIABLES}` for secrets. */
  readonly hidden?: JsonObject
  readonly outcome: 'new' | 'replaces' | 'there' | 'conflict' | 'skipped' | 'elsewhere'
  /** The reason for the outcome, if it is not obvious. */
  readonly reason?: string
  /** Settings of its client that Portolan cannot express. */
  readonly notes?: readonly string[]
}

export interface PlanOptions {
  readonly machine: Machine
  /** The current servers of `.mcp.json`. */
  readonly present: JsonObject
  readonly onConflict: Conflict
  readonly allProjects: boolean
  /** Whether servers of the folder's own files are taken even if nobody has trusted these files. */
  readonly project: boolean
  /** The secrets stored so far; those that entries need beside them are added. */
  readonly secrets: Secrets
}

/** Whether it goes into the servers file. */
export function isTaken({ outcome }: PlannedServer): boolean {
  return outcome === 'new' || outcome === 'replaces'
}

/** Returns the edits that add the taken servers, last first, as each edit inserts its entry first. */
export function toEdits(planned: readonly PlannedServer[]): Edit[] {
  return planned
    .filter(isTaken)
    .map(({ name, hidden }) => ({ path: ['mcpServers', name], value: hidden }))
    .toReversed()
}

/** Decides what to import and under which name; if two clients disagree, the first wins. */
export function planImport(entries: readonly FoundEntry[], options: PlanOptions): PlannedServer[] {
  const plans: PlannedServer[] = []
  for (const found of entries) {
    const twin = plans.findIndex((plan) => isSame(plan, found, options.machine))
    const known = plans[twin]
    if (known) plans[twin] = { ...known, found: [...known.found, found] }
    else plans.push(planOne(found, plans, options))
  }
  return plans
}

function isSame(plan: PlannedServer, found: FoundEntry, machine: Machine): boolean {
  const converted = toServerEntry(found, machine)
  return (
    'entry' in converted &&
    plan.found.some(({ name }) => name === found.name) &&
    (plan.outcome === 'elsewhere') === (found.elsewhere !== undefined) &&
    isDeepStrictEqual(plan.entry, converted.entry)
  )
}

function planOne(
  found: FoundEntry,
  plans: readonly PlannedServer[],
  options: PlanOptions,
): PlannedServer {
  const { machine, present, secrets } = options
  const plan = (rest: Pick<PlannedServer, 'outcome'> & Partial<PlannedServer>): PlannedServer => ({
    name: found.name,
    found: [found],
    entry: undefined,
    ...rest,
  })
  const converted = toServerEntry(found, machine)
  if ('problem' in converted) return plan({ outcome: 'skipped', reason: converted.problem })
  const { entry, notes } = converted
  if (!options.project && !isAccepted(found.clientConfig, machine))
    return plan({ outcome: 'skipped', reason: whyNotAccepted(found) })
  if (isPortolan(entry)) return plan({ outcome: 'skipped', reason: 'this is Portolan itself' })
  if (found.elsewhere !== undefined && !options.allProjects)
    return plan({ outcome: 'elsewhere', entry, notes, reason: found.elsewhere })

  const draft: Secrets = new Map(secrets)
  const hidden = hideSecrets(found.name, entry, draft)
  const there = Object.hasOwn(present, found.name) ? present[found.name] : undefined
  if (isDeepStrictEqual(there, entry)) return plan({ outcome: 'there', entry, hidden, notes })
  const settled = isDeepStrictEqual(there, hidden)
    ? ({ outcome: 'there' } as const)
    : settle(found, plans, options)
  // Of an entry that is there, only the client may have the secrets.
  if (settled.outcome !== 'conflict') for (const [name, value] of draft) secrets.set(name, value)
  return plan({ ...settled, entry, hidden, notes })
}

function whyNotAccepted({ clientConfig: { file } }: FoundEntry): string {
  const next = basename(file) === '.mcp.json' ? 'run portolan trust' : 'import it with --project'
  return `${file} may have come with this folder: read it, then ${next}`
}

/** Decides the outcome and name of an entry that is not in the file yet. */
function settle(
  found: FoundEntry,
  plans: readonly PlannedServer[],
  { present, onConflict }: PlanOptions,
): Pick<PlannedServer, 'outcome' | 'name'> & { reason?: string } {
  const { name, client } = found
  const isThere = Object.hasOwn(present, name)
  const rival = plans.find((plan) => plan.name === name && TAKEN.has(plan.outcome))
  if (!isThere && !rival) return { name, outcome: 'new' }
  if (onConflict === 'replace' && !rival) return { name, outcome: 'replaces' }
  if (onConflict === 'rename') {
    const taken = (other: string) =>
      Object.hasOwn(present, other) || plans.some((plan) => plan.name === other)
    return { name: freeName(`${name}-${client.id}`, taken), outcome: 'new' }
  }
  const holder = rival ? (rival.found[0]?.client.name ?? '') : 'the servers file'
  return { name, outcome: 'conflict', reason: `${holder} has a different server with this name` }
}

const TAKEN: ReadonlySet<PlannedServer['outcome']> = new Set(['new', 'replaces', 'there'])

function freeName(wanted: string, taken: (name: string) => boolean): string {
  let name = wanted
  for (let n = 2; taken(name); n++) name = `${wanted}-${n}`
  return name
}

/** Whether the entry is Portolan, which would start itself endlessly. */
export function isPortolan(entry: JsonObject): boolean {
  const { command, args } = entry
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String)
  return words.some((word) =>
    /(^|[\\/])portolan(@[\w.-]+)?$|[\\/]portolan[\\/](.*[\\/])?cli[\\/]main\.[jt]s$/.test(word),
  )
}
