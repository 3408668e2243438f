import { loadSettings } from '../../config/load.ts'
import { sealedSecretsFile } from '../../config/secrets/stored-secrets.ts'
import type { ClientId } from '../clients/client.ts'
import { CLIENTS } from '../clients/clients.ts'
import { appendSecrets, newSecrets, storedSecrets } from '../../config/secrets/hide-secrets.ts'
import type { Machine } from '../clients/machine.ts'
import { readClientConfigs } from '../clients/read-client-configs.ts'
import { changeFiles } from '../shared/files/change-files.ts'
import { editServers, serversIn } from '../clients/servers-file.ts'
import { type Cost, type MeasureOptions, measureCosts } from '../clients/measure-costs.ts'
import {
  type Conflict,
  type PlannedServer,
  isTaken,
  planImport,
  toEdits,
} from '../clients/plan-import.ts'

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
  readonly planned: readonly PlannedServer[]
  readonly costs: ReadonlyMap<PlannedServer, Cost>
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
  const secrets = storedSecrets(home, machine.env)
  const planned = planImport(
    // The target may itself be the file of a client.
    entries.filter(({ clientConfig }) => clientConfig.file !== target),
    {
      machine,
      present: serversIn(target),
      onConflict: options.onConflict,
      allProjects: options.allProjects,
      project: options.project ?? false,
      secrets,
    },
  )
  // Servers of other projects are not started.
  const here = planned.filter(({ outcome }) => outcome !== 'elsewhere')
  const costs = options.count ? await measureCosts(here, options) : new Map<PlannedServer, Cost>()
  const taken = planned.filter(isTaken)
  const fresh = newSecrets(home, machine.env, secrets)
  const hasSecrets = fresh.size > 0 && options.keepSecrets
  if (!dryRun && (hasSecrets || taken.length > 0))
    await changeFiles(machine, { reason: 'import', files: [target] }, () => {
      if (hasSecrets) appendSecrets(home, machine.env, fresh)
      if (taken.length > 0) editServers(target, machine, toEdits(taken))
    })
  return {
    target,
    planned,
    costs,
    problems,
    variables: [...fresh.keys()],
    secretsFile: hasSecrets ? sealedSecretsFile(home) : undefined,
    written: !dryRun && (taken.length > 0 || hasSecrets),
  }
}
