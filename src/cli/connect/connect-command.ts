import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { stringify } from 'smol-toml'
import { messageOf } from '../../base/errors.ts'
import { didYouMean } from '../../base/text/nearest.ts'
import { localOrigin } from '../../base/net/net.ts'
import { projectFile, userFile } from '../../config/paths.ts'
import { loadSettings } from '../../config/load.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { ClientId, McpClient, Endpoint } from '../clients/client.ts'
import { CLIENTS, clientOf } from '../clients/clients.ts'
import { type Machine, thisMachine } from '../clients/machine.ts'
import { readServers } from '../clients/read-client-configs.ts'
import { renderUndone } from './undo.ts'
import { changeFiles } from '../shared/files/change-files.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { type Terminal, createTerminal } from '../shared/terminal/terminal.ts'
import { stdioEndpoint } from '../clients/launch.ts'
import {
  type Connected,
  type Connection,
  NAME,
  connect,
  disconnect,
  isConnected,
  clientConfigOf,
} from './connect-client.ts'

export interface ConnectOptions {
  readonly url?: string | true
  readonly keyEnv?: string | true
  readonly toolset?: string
  readonly project?: true
  readonly hooks?: true
  readonly undo?: true
  readonly print?: true
  readonly json?: true
}

export async function connectCommand(id: ClientId, options: ConnectOptions): Promise<void> {
  const machine = thisMachine()
  const client = clientOf(id)
  const connection: Connection = { client, machine, scope: options.project ? 'project' : 'user' }
  const terminal = createTerminal()
  mayHaveHooks(client, options)
  if (options.undo) return undo(connection, options, terminal)
  const endpoint = toEndpoint(options, machine)
  if (!options.print && typeof client.entry(endpoint) !== 'string') await checkUrl(endpoint)
  const how = { print: options.print ?? false, hooks: options.hooks ?? false }
  const done = await (options.print
    ? connect(connection, endpoint, how)
    : changeFiles(machine, { reason: `connect ${id}` }, async () =>
        connect(connection, endpoint, how),
      ))
  if (options.json) return printJson({ client: id, ...done })
  if (options.print) return print(connection, done, terminal)
  render(connection, done, terminal)
  sayWhatCounts(connection, options, terminal)
  if (endpoint.key !== undefined)
    terminal.line(`  It needs ${endpoint.key} in the environment it runs in.`)
}

function mayHaveHooks({ id, name }: McpClient, { hooks }: ConnectOptions): void {
  if (!hooks || id === 'claude-code') return
  throw new GatewayError('INVALID_PARAMS', `${name} has no hooks`, {
    hint: 'Leave --hooks out: only Claude Code has them.',
  })
}

async function undo(
  connection: Connection,
  { json }: ConnectOptions,
  terminal: Terminal,
): Promise<void> {
  const reason = `connect ${connection.client.id} --undo`
  const done = await changeFiles(connection.machine, { reason }, async () => disconnect(connection))
  if (json) return printJson({ client: connection.client.id, undone: done })
  renderUndone(done, terminal)
}

/** Refuses flags without a client; `--url cursor`, for example, reads `cursor` as an address. */
export function mustNameClient({ json: _json, ...flags }: ConnectOptions): void {
  if (Object.keys(flags).length === 0) return
  throw new GatewayError('INVALID_PARAMS', 'No client is named', {
    hint: 'Name it first: portolan connect <client>, and then the options. `portolan connect` lists them.',
  })
}

/** Lists the clients and whether they use Portolan. */
export function listClients({ json: asJson }: ConnectOptions): void {
  const machine = thisMachine()
  const terminal = createTerminal()
  const rows = CLIENTS.map((client) => stateOf(client, machine))
  if (asJson) return printJson(rows)
  const { paint } = terminal
  terminal.table(
    rows.map(({ id, name, state, file }) => [
      state === 'connected' ? paint('green', '✓') : paint('gray', state === 'absent' ? ' ' : '·'),
      paint('bold', id),
      name,
      state,
      paint('gray', file),
    ]),
  )
  terminal.line('\nConnect one: portolan connect <client>')
}

export function stateOf(client: McpClient, machine: Machine) {
  const connection = { client, machine, scope: 'user' } as const
  const { file } = clientConfigOf(connection)
  const state = () => {
    try {
      if (isConnected(connection)) return { state: 'connected' }
      const isThere = existsSync(file) || isOwnFolder(dirname(file), machine)
      return { state: isThere ? 'found' : 'absent' }
    } catch (error) {
      return { state: 'unreadable', problem: messageOf(error) }
    }
  }
  return { id: client.id, name: client.name, ...state(), file }
}

/** Whether this folder shows that the client is installed, which the home folder does not. */
function isOwnFolder(folder: string, { home }: Machine): boolean {
  return folder !== home && existsSync(folder)
}

function toEndpoint({ url, keyEnv, toolset }: ConnectOptions, machine: Machine): Endpoint {
  const key = keyEnv === true ? 'PORTOLAN_KEY' : keyEnv
  if (url !== undefined)
    return { kind: 'http', key, url: withToolset(url === true ? ownUrl(machine) : url, toolset) }
  const endpoint = stdioEndpoint(machine, key)
  if (toolset === undefined || endpoint.kind !== 'stdio') return endpoint
  const known = Object.keys(loadSettings(machine).toolsets)
  if (!known.includes(toolset))
    throw new GatewayError('INVALID_PARAMS', `There is no toolset '${toolset}'`, {
      hint: didYouMean(toolset, known) ?? '`portolan toolsets` lists them.',
    })
  return { ...endpoint, args: [...endpoint.args, '--toolset', toolset] }
}

function withToolset(address: string, toolset: string | undefined): string {
  if (toolset === undefined) return address
  const url = new URL(address)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${encodeURIComponent(toolset)}`
  return url.href
}

/** Tells users when this folder's servers apply, as the client's entry does not name the folder. */
function sayWhatCounts(
  { client, machine }: Connection,
  { url }: ConnectOptions,
  terminal: Terminal,
): void {
  if (url !== undefined || projectFile('mcp', machine) === undefined) return
  terminal.line(
    `  The servers of this folder are there when ${client.name} works in it; those in ${userFile('mcp', machine)} always.`,
  )
}

function ownUrl({ env, cwd }: Machine): string {
  const { host, port, path } = loadSettings({ env, cwd }).listen
  return `${localOrigin(host, port)}${path}`
}

function print({ client }: Connection, { file, entry }: Connected, { line, paint }: Terminal) {
  const clientConfig = client.configFiles(thisMachine()).find((each) => each.file === file)
  line(paint('gray', `# ${file}`))
  if (clientConfig?.format === 'toml')
    line(stringify({ [clientConfig.keys[0] ?? '']: { [NAME]: entry } }))
  else line(JSON.stringify({ [clientConfig?.keys.at(-1) ?? '']: { [NAME]: entry } }, null, 2))
}

function render(connection: Connection, done: Connected, { line, paint }: Terminal): void {
  const { client, machine } = connection
  const { file, outcome, hooks } = done
  if (outcome === 'already') line(`${client.name} is already connected: ${file}`)
  else {
    line(`${paint('green', '✓')} ${client.name} is connected: ${file}`)
  }
  if (hooks !== undefined) line(`${paint('green', '✓')} Trace hooks installed in ${hooks}`)
  line(`  ${client.afterwards} Undo: portolan connect ${client.id} --undo`)
  for (const note of notesOn(client, machine)) line(`${paint('yellow', '⚠')} ${note}`)
}

/** Warns about servers the client still reaches without Portolan. */
function notesOn(client: McpClient, machine: Machine): string[] {
  const names = new Set(
    client
      .configFiles(machine)
      .flatMap((clientConfig) => readServers(client, clientConfig).map(({ name }) => name))
      .filter((name) => name !== NAME),
  )
  if (names.size === 0) return []
  const some = [...names].slice(0, 6).join(', ')
  return [
    `${client.name} still has ${some}${names.size > 6 ? '…' : ''} itself: ` +
      `\`portolan adopt --client ${client.id}\` moves them behind Portolan`,
  ]
}

/** Checks that something answers at the URL, as a client would report only that it failed. */
async function checkUrl(endpoint: Endpoint): Promise<void> {
  if (endpoint.kind !== 'http') return
  if (!/^https?:\/\//i.test(endpoint.url))
    throw new GatewayError('INVALID_PARAMS', `"${endpoint.url}" is not the address of a gateway`, {
      hint: 'Write it with http:// or https://, such as http://127.0.0.1:7411/mcp.',
    })
  try {
    // Any answer will do, as a gateway may require a key.
    await fetch(endpoint.url, { signal: AbortSignal.timeout(ANSWER_MS) })
  } catch (cause) {
    throw new GatewayError('SERVER_UNAVAILABLE', `Nothing answers at ${endpoint.url}`, {
      hint: 'Start `portolan serve` first, or connect without --url: then the client starts Portolan itself.',
      cause,
    })
  }
}

const ANSWER_MS = 5000
