import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayError } from '../../gateway/errors.ts'
import { CLIENTS } from '../shared/clients/clients.ts'
import type { Machine } from '../shared/clients/machine.ts'
import { readClientConfigs } from '../shared/clients/read-client-configs.ts'
import { connectCommand, stateOf } from '../connect/connect-command.ts'
import { runImport } from '../import/run-import.ts'
import { recordTrust } from '../trust/record-trust.ts'
import { replaceFile } from '../shared/replace-file.ts'
import { type Terminal, count } from '../shared/terminal.ts'
import { starterRules, starterServers, starterSettings } from './starter-files.ts'

export interface InitOptions {
  readonly machine: Machine
  readonly terminal: Terminal
  /** Accept the suggested answer to every question, and overwrite nothing. */
  readonly yes: boolean
  readonly import: boolean
}

export interface InitReport {
  readonly written: readonly string[]
  readonly kept: readonly string[]
  readonly imported: readonly string[]
  readonly variables: readonly string[]
}

/** Creates the three files; an existing one is overwritten only after asking. */
export async function runInit(options: InitOptions): Promise<InitReport> {
  const { machine, terminal, yes } = options
  if (!yes && !terminal.canAsk)
    throw new GatewayError('INVALID_PARAMS', 'There is no terminal to ask questions on', {
      hint: 'portolan init --yes accepts the suggested answers.',
    })
  const written: string[] = []
  const kept: string[] = []
  const put = (name: string, content: string) => {
    const path = join(machine.cwd, name)
    replaceFile(path, content)
    recordTrust(machine, [{ path, text: content }], 'trusted')
    written.push(name)
  }
  const isFree = async (name: string) => {
    if (!existsSync(join(machine.cwd, name))) return true
    if (!yes && (await terminal.confirm(`${name} already exists. Overwrite it?`, false)))
      return true
    kept.push(name)
    return false
  }

  const imported = await importServers(options)
  if (existsSync(join(machine.cwd, SERVERS)))
    (imported.planned.length > 0 ? written : kept).push(SERVERS)
  else put(SERVERS, starterServers())
  if (await isFree(RULES)) put(RULES, starterRules())
  if (await isFree(SETTINGS)) put(SETTINGS, starterSettings())
  const names = imported.planned.map(({ name }) => name)
  return { written, kept, imported: names, variables: imported.variables }
}

const SERVERS = '.mcp.json'
const RULES = '.mcp-gateway-rules.json'
const SETTINGS = 'portolan.yaml'

async function importServers({ machine, terminal, yes, import: wanted }: InitOptions) {
  const nothing = { planned: [], variables: [] }
  const own = join(machine.cwd, SERVERS)
  const found = readClientConfigs(CLIENTS, machine).entries.filter(
    ({ clientConfig, elsewhere }) => clientConfig.file !== own && elsewhere === undefined,
  )
  if (!wanted || found.length === 0) return nothing
  const clients = [...new Set(found.map(({ client }) => client.name))].join(', ')
  const question = `Import ${count(found.length, 'server')} from ${clients}?`
  if (!yes && !(await terminal.confirm(question, true))) return nothing
  const report = await runImport({
    machine,
    target: own,
    onConflict: 'keep',
    allProjects: false,
    count: false,
    timeoutMs: 0,
    keepSecrets: true,
    dryRun: false,
  })
  const planned = report.planned.filter(
    ({ outcome }) => outcome === 'new' || outcome === 'replaces',
  )
  return { planned, variables: report.variables }
}

/** Offers to connect the clients that are there; only where somebody can say yes. */
export async function offerClients({ machine, terminal, yes }: InitOptions): Promise<void> {
  const waiting = CLIENTS.map((client) => stateOf(client, machine)).filter(
    ({ state }) => state === 'found',
  )
  if (yes) return
  for (const { id, name } of waiting)
    if (await terminal.confirm(`Connect ${name} to Portolan?`, true)) await connectCommand(id, {})
}
