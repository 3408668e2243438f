import { z } from 'zod'
import { didYouMean } from '../../base/text/nearest.ts'
import { shellWord } from '../../base/text/shell-word.ts'
import { type Config, loadConfig } from '../../config/load.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { ServerConfig } from '../../config/servers/servers.ts'
import type { ServerProbe } from '../../app/health/probe.ts'
import { checkServers, toFinding } from '../doctor/check-servers.ts'
import type { Finding } from '../doctor/finding.ts'
import { renderFindings } from '../doctor/render-findings.ts'
import { type Machine, thisMachine } from '../clients/machine.ts'
import { type ConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { changeFiles } from '../shared/files/change-files.ts'
import { type RunningGateway, findGateway, noGateway } from '../shared/running-gateway.ts'
import { count, createTerminal } from '../shared/terminal/terminal.ts'
import { withStoredConfig } from '../shared/with-database.ts'
import { enableServer, removeServer } from '../clients/servers-file.ts'

const KEY = process.env['PORTOLAN_KEY']

const DONE = { remove: 'is no longer in', enable: 'is enabled in', disable: 'is disabled in' }

export async function change(
  verb: keyof typeof DONE,
  name: string,
  { mcp, keys }: ConfigOptions & { readonly keys?: true },
): Promise<void> {
  const { line, paint, canAsk, confirm } = createTerminal()
  const place = { machine: thisMachine(), mcp }
  const how = { reason: `server ${verb} ${name}`, files: [mcp] }
  const { file, variables } = await changeFiles(place.machine, how, () =>
    verb === 'remove' ? removeServer(name, place) : enableServer(name, verb === 'enable', place),
  )
  line(`${paint('green', '✓')} ${name} ${DONE[verb]} ${file}`)
  for (const variable of variables) {
    const unused = `${variable} is stored, and no other server here uses it`
    const isDropped =
      keys ??
      (canAsk && (await confirm(`${unused}. Remove it, if none in another folder does?`, false)))
    if (isDropped) await dropSecret(variable, place)
    line(
      isDropped
        ? `  ${variable} is no longer stored`
        : `  ${unused}. If none in another folder does, run: portolan secrets remove ${variable}`,
    )
  }
}

async function dropSecret(name: string, { machine }: { readonly machine: Machine }): Promise<void> {
  const { removeSecret } = await import('../secrets/edit-secrets.ts')
  await changeFiles(machine, { reason: `secrets remove ${name}` }, () => removeSecret(name, {}))
}

export async function test(
  name: string,
  flags: ConfigOptions & { readonly timeout: number },
): Promise<void> {
  const config = loadConfig(await withStoredConfig(toLoadOptions(flags)))
  const server = configured(name, config)
  const gateway = server.enabled ? await findGateway(config, KEY) : undefined
  const found = gateway
    ? [toFinding(name, await testThere(gateway, name, flags.timeout), config)]
    : await testHere(server, config, flags.timeout)
  renderFindings(found, createTerminal())
  if (found.some(({ status }) => status === 'fail')) process.exitCode = 1
}

const probeAnswer: z.ZodType<ServerProbe> = z.object({
  ms: z.number(),
  tools: z.number().optional(),
  tokens: z.number().optional(),
  leftOut: z.array(z.object({ kind: z.string(), name: z.string(), reason: z.string() })).optional(),
  held: z.array(z.object({ kind: z.string(), name: z.string(), reason: z.string() })).optional(),
  error: z.string().optional(),
  output: z.array(z.string()).optional(),
  nextStep: z.string().optional(),
  signIn: z.string().optional(),
})

/** Tests on the gateway's connection, as a second process of a server may fail or disturb it. */
async function testThere(
  gateway: RunningGateway,
  name: string,
  timeoutMs: number,
): Promise<ServerProbe> {
  const path = `/servers/${encodeURIComponent(name)}/test`
  const answer = await gateway.ask('POST', path, { timeoutMs }, timeoutMs + 5_000)
  return probeAnswer.parse(answer)
}

async function testHere(
  server: ServerConfig,
  config: Config,
  timeoutMs: number,
): Promise<Finding[]> {
  const servers = new Map([[server.name, { ...server, enabled: true }]])
  return checkServers({ ...config, servers }, { timeoutMs, onProgress: () => undefined })
}

const detail = z.object({ output: z.array(z.object({ at: z.string(), text: z.string() })) })

export async function logs(name: string, flags: ConfigOptions): Promise<void> {
  const { line, paint } = createTerminal()
  const { gateway } = await runningFor(name, flags)
  const answer = await gateway.ask('GET', `/servers/${encodeURIComponent(name)}`)
  const { output } = detail.parse(answer)
  if (output.length === 0) process.stderr.write(`${name} has written nothing to its stderr.\n`)
  for (const { at, text } of output) line(`${paint('gray', at)} ${text}`)
}

/** Restarts a server, and waits until it answers: a restart that fails must not look like a success. */
export async function restart(
  name: string,
  flags: ConfigOptions & { readonly timeout: number },
): Promise<void> {
  const terminal = createTerminal()
  const { gateway, config } = await runningFor(name, flags)
  await gateway.ask('POST', `/servers/${encodeURIComponent(name)}/restart`)
  const probe = await testThere(gateway, name, flags.timeout)
  const found = toFinding(name, probe, config)
  if (found.status === 'ok')
    return terminal.line(
      `${terminal.paint('green', '✓')} ${name} was restarted, and offers ${count(probe.tools ?? 0, 'tool')}`,
    )
  renderFindings([found], terminal)
  if (found.status === 'fail') process.exitCode = 1
}

async function runningFor(name: string, flags: ConfigOptions) {
  const config = loadConfig(await withStoredConfig(toLoadOptions(flags)))
  configured(name, config)
  const gateway = await findGateway(config, KEY)
  if (gateway) return { gateway, config }
  throw new GatewayError('SERVER_UNAVAILABLE', noGateway(config.settings), {
    hint: `Start one with \`portolan serve\`, or try the server by itself: portolan server test ${shellWord(name)}`,
  })
}

export function configured(name: string, { servers }: Config) {
  const server = servers.get(name)
  if (server) return server
  throw new GatewayError('SERVER_NOT_FOUND', `There is no server '${name}'`, {
    hint: didYouMean(name, servers.keys()) ?? 'portolan server list shows them.',
  })
}
