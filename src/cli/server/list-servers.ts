import { z } from 'zod'
import { type Config, loadConfig } from '../../config/load.ts'
import type { ServerConfig } from '../../config/servers/servers.ts'
import { type PackageState, packageState } from '../../app/upstreams/package-of.ts'
import { reviewCommand } from '../../gateway/names/held-tool.ts'
import { toLine } from '../doctor/check-servers.ts'
import { describeTarget } from '../clients/describe-target.ts'
import { type ConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { findGateway, noGateway } from '../shared/running-gateway.ts'
import { count, createTerminal } from '../shared/terminal/terminal.ts'
import { withStoredConfig } from '../shared/with-database.ts'

const answer = z.object({
  servers: z.array(
    z.object({
      name: z.string(),
      state: z.string(),
      toolCount: z.number(),
      leftOut: z
        .array(z.object({ kind: z.string(), name: z.string(), reason: z.string() }))
        .default([]),
      heldCount: z.number().default(0),
      error: z.string().nullable(),
    }),
  ),
})
type Live = z.output<typeof answer>['servers'][number]

/** Lists the servers of the files, with their state in the running gateway. */
export async function listServers(flags: ConfigOptions & { readonly json?: true }): Promise<void> {
  const config = loadConfig(await withStoredConfig(toLoadOptions(flags)))
  const gateway = await findGateway(config, process.env['PORTOLAN_KEY'])
  const live = gateway ? answer.parse(await gateway.ask('GET', '/servers')).servers : []
  const rows = [...config.servers.values()].map((server) =>
    toRow(
      server,
      config,
      live.find(({ name }) => name === server.name),
    ),
  )
  if (flags.json) return printJson({ gateway: gateway?.url ?? null, servers: rows })
  const { line, paint, table } = createTerminal()
  table([
    ['server', 'reaches', 'state', 'tools', 'file'].map((title) => paint('gray', title)),
    ...rows.map(({ name, target, state, tools, file, error, ...pinned }) => [
      paint('bold', name),
      `${target}${marksOf(pinned)}`,
      error === null ? state : paint('red', state),
      tools === null ? '' : String(tools),
      paint('gray', file ?? 'built in'),
    ]),
  ])
  const broken = rows.filter(({ error }) => error !== null)
  if (broken.length > 0) line()
  for (const { name, error } of broken) line(`${paint('red', '✗')} ${name}: ${error}`)
  for (const { name, leftOut } of rows)
    for (const one of leftOut) line(`${paint('yellow', '⚠')} ${name}: ${toLine(one)}`)
  for (const { name, held } of rows)
    if (held > 0)
      line(`${paint('yellow', '⚠')} ${name}: ${count(held, 'change')} held. ${reviewCommand(name)}`)
  line(
    gateway
      ? `\nStates of ${gateway.name}`
      : `\n${noGateway(config.settings)}: portolan serve starts one, and clients start their own.`,
  )
}

function toRow(server: ServerConfig, { origins, settings }: Config, live: Live | undefined) {
  const { name, kind, enabled } = server
  const own = kind === 'broken' ? 'broken' : enabled ? 'enabled' : 'disabled'
  return {
    ...leftOutOf(live),
    name,
    ...packageState(server, settings.home, { cwd: process.cwd(), env: process.env }),
    target: targetOf(server),
    isInSandbox: server.kind === 'stdio' && server.sandbox !== undefined,
    state: live?.state ?? own,
    tools: live && !isUnlisted(live) ? live.toolCount : null,
    error: live?.error ?? (kind === 'broken' ? server.error : null),
    file: origins.servers.get(name) ?? null,
  }
}

/** A sandbox, and which version of a package it is. */
function marksOf({
  package: pinned,
  notPinned,
  isInSandbox,
}: PackageState & { isInSandbox: boolean }) {
  const marks = [
    pinned === undefined ? '' : `pinned ${pinned.slice(pinned.lastIndexOf('@') + 1)}`,
    notPinned === undefined ? '' : 'not pinned',
    isInSandbox ? 'sandbox' : '',
  ].filter(Boolean)
  return marks.length === 0 ? '' : ` (${marks.join(', ')})`
}

function leftOutOf(live: Live | undefined): Pick<Live, 'leftOut'> & { readonly held: number } {
  return { leftOut: live?.leftOut ?? [], held: live?.heldCount ?? 0 }
}

/** Whether it has not been used yet, so that its tools are unknown. */
function isUnlisted({ state, toolCount }: Live): boolean {
  return state === 'idle' && toolCount === 0
}

function targetOf(server: ServerConfig): string {
  if (server.kind === 'stdio') {
    const { command, args } = server
    return describeTarget({ command, args })
  }
  if (server.kind === 'http') return describeTarget({ url: server.url })
  if (server.kind === 'openapi') return server.openapi
  return server.kind === 'broken' ? '' : server.kind
}
