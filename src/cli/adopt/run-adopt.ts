import { loadSettings } from '../../config/load.ts'
import { userFile } from '../../config/paths.ts'
import { launchOf, stdioEndpoint } from '../clients/launch.ts'
import { isConnected, journalOf } from '../connect/connect-client.ts'
import { newSecrets, storedSecrets } from '../../config/secrets/hide-secrets.ts'
import type { MeasureOptions } from '../clients/measure-costs.ts'
import type { McpClient } from '../clients/client.ts'
import type { Machine } from '../clients/machine.ts'
import { changeFiles } from '../shared/files/change-files.ts'
import { type FileEdits, applyEdits, editsFor, writeUserServers } from './apply-adopt.ts'
import { type Context, type Contexts, measureContexts } from './contexts.ts'
import { type AdoptPlan, planAdopt } from './plan-adopt.ts'

export interface AdoptOptions extends MeasureOptions {
  readonly clients: readonly McpClient[]
  /** Whether the user named the clients; named clients are connected even without servers. */
  readonly named: boolean
  /** Whether servers are started to count their tools. */
  readonly count: boolean
  readonly dryRun: boolean
  /** Receives the plan before anything is written; returning false stops. */
  readonly confirm?: (report: AdoptReport) => Promise<boolean>
}

interface AdoptedClient {
  readonly client: McpClient
  readonly files: readonly string[]
  readonly before: Context
  readonly after: Context
  /** Why its files could not be changed. */
  readonly error?: string | undefined
}

export interface AdoptReport {
  /** The user's servers file, which is in force in every folder. */
  readonly target: string
  readonly plan: AdoptPlan
  readonly clients: readonly AdoptedClient[]
  readonly contexts: Contexts
  /** The names of variables that now stand for secrets. */
  readonly variables: readonly string[]
  readonly written: boolean
}

/** Moves the servers of clients behind Portolan, and connects the clients to it. */
export async function runAdopt(options: AdoptOptions): Promise<AdoptReport> {
  const { machine, dryRun, confirm } = options
  const { home } = loadSettings({ env: machine.env, cwd: machine.cwd })
  const target = userFile('mcp', machine)
  const secrets = storedSecrets(home, machine.env)
  const variables = { ...Object.fromEntries(secrets), ...machine.env }
  const plan = planAdopt({ ...options, target, variables, secrets })
  const fresh = newSecrets(home, machine.env, secrets)
  const contexts = await measureContexts(
    plan,
    { ...launchOf(machine), env: { PORTOLAN_HOME: home } },
    options,
  )
  const changes = changesOf(plan, options)
  const report: AdoptReport = {
    target,
    plan,
    contexts,
    clients: changes.map(({ client, files }) => ({
      client,
      files: files.map(({ config }) => config.file),
      before: contexts.before(client, hasUs(client, machine)),
      after: contexts.after(client),
    })),
    variables: [...fresh.keys()],
    written: false,
  }
  if (dryRun || changes.length === 0) return report
  if (confirm && !(await confirm(report))) return report
  const errors = await changeFiles(machine, { reason: 'adopt' }, async () => {
    const journal = journalOf(machine)
    await writeUserServers(journal, plan.moved, { machine, home, target, secrets: fresh })
    return new Map(changes.map(({ client, files }) => [client, applyEdits(journal, files)]))
  })
  const clients = report.clients.map((each) => ({ ...each, error: errors.get(each.client) }))
  return { ...report, clients, written: true }
}

interface Change {
  readonly client: McpClient
  readonly files: readonly FileEdits[]
}

/** Returns the clients with entries to move or ignore, and the named ones not connected yet. */
function changesOf(plan: AdoptPlan, { clients, machine, named }: AdoptOptions): Change[] {
  const endpoint = stdioEndpoint(machine)
  return clients.flatMap((client): Change[] => {
    const moved = plan.moved.flatMap(({ found }) => found.filter((each) => each.client === client))
    const left = plan.kept.filter(({ found, isLeft }) => isLeft && found.client === client)
    const isNew = named && !hasUs(client, machine)
    if (moved.length + left.length === 0 && !isNew) return []
    return [{ client, files: editsFor({ client, moved, left }, { machine, endpoint }) }]
  })
}

/** Returns false for an unreadable file, which is reported when it is edited. */
function hasUs(client: McpClient, machine: Machine): boolean {
  try {
    return isConnected({ client, machine, scope: 'user' })
  } catch {
    return false
  }
}
