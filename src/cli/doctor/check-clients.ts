import type { Config } from '../../config/load.ts'
import { substitute } from '../../config/secrets/variables.ts'
import type { ServerConfig } from '../../config/servers/servers.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { isIgnored, isUs } from '../adopt/plan-adopt.ts'
import { stateOf } from '../connect/connect-command.ts'
import { toServerEntry } from '../clients/to-server-entry.ts'
import type { McpClient } from '../clients/client.ts'
import { CLIENTS, clientOf } from '../clients/clients.ts'
import type { Machine } from '../clients/machine.ts'
import { readClientConfigs } from '../clients/read-client-configs.ts'
import { type Finding, findings } from './finding.ts'

/** Checks which clients use Portolan, and which servers they also reach directly. */
export function checkClients(machine: Machine, config: Config | undefined): Finding[] {
  const { ok, warn } = findings('clients')
  const states = CLIENTS.map((client) => stateOf(client, machine))
  const connected = states.filter(({ state }) => state === 'connected')
  const waiting = states.filter(({ state }) => state === 'found')
  const broken = states.filter(({ state }) => state === 'unreadable')
  return [
    ...connected.map(({ id, name }) => {
      const twice = config ? reachedTwice(clientOf(id), machine, config) : []
      if (twice.length === 0) return ok(`${name} uses Portolan`)
      return warn(
        `${name} uses Portolan, and also reaches ${twice.join(', ')} directly`,
        `portolan adopt --client ${id}`,
      )
    }),
    ...broken.map(({ name, problem }) => warn(`${name}: ${problem}`, 'Fix the file.')),
    ...(connected.length === 0
      ? [warn('no client uses Portolan yet', connectHint(waiting.map(({ id }) => id)))]
      : []),
  ]
}

/** Returns the client's entries that are also servers behind Portolan. */
function reachedTwice(client: McpClient, machine: Machine, { servers }: Config): string[] {
  const behind = new Set([...servers.values()].filter(({ enabled }) => enabled).map(identityOf))
  const names = readClientConfigs([client], machine)
    .entries.filter((found) => found.elsewhere === undefined && !isUs(found, machine))
    .filter((found) => !isIgnored(found, machine))
    .filter((found) => {
      const converted = toServerEntry(found, machine)
      return (
        'entry' in converted &&
        converted.entry['disabled'] !== true &&
        behind.has(identityOfEntry(converted.entry, machine))
      )
    })
    .map(({ name }) => name)
  return [...new Set(names)]
}

function identityOf(server: ServerConfig): string {
  if (server.kind === 'http') return server.url
  return server.kind === 'stdio' ? [server.command, ...server.args].join('\0') : ''
}

function identityOfEntry(entry: JsonObject, { env }: Machine): string {
  const { url, command, args } = entry
  const { value } = substitute([url ?? command, ...(Array.isArray(args) ? args : [])], env)
  return Array.isArray(value) ? value.map(String).join('\0') : ''
}

function connectHint(ids: readonly string[]): string {
  return ids.length === 0
    ? 'portolan connect <client>'
    : ids.map((id) => `portolan connect ${id}`).join(', ')
}
