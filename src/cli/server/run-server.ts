import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import type { JsonObject } from '../../base/json/json.ts'
import { didYouMean } from '../../base/text/nearest.ts'
import { shellWord } from '../../base/text/shell-word.ts'
import { type Config, loadConfig } from '../../config/load.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { ServerConfig } from '../../config/servers/servers.ts'
import type { ServerProbe } from '../../app/health/probe.ts'
import { checkServers, toFinding } from '../doctor/check-servers.ts'
import { whyNoSandbox } from '../doctor/check-sandbox.ts'
import type { Finding } from '../doctor/finding.ts'
import { renderFindings } from '../doctor/render-findings.ts'
import { thisMachine } from '../clients/machine.ts'
import { type ConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { changeFiles } from '../shared/files/change-files.ts'
import { type RunningGateway, findGateway, noGateway } from '../shared/running-gateway.ts'
import { count, createTerminal } from '../shared/terminal/terminal.ts'
import { withStoredConfig } from '../shared/with-database.ts'
import { addServer, enableServer, removeServer } from '../clients/servers-file.ts'

const KEY = process.env['PORTOLAN_KEY']

export interface AddFlags {
  readonly url?: string
  readonly env?: string[]
  readonly header?: string[]
  readonly description?: string
  readonly sandbox?: true
  readonly project?: true
  readonly mcp?: string
}

export async function add(name: string, command: string[], flags: AddFlags): Promise<void> {
  const { line, paint } = createTerminal()
  const given = withUrl(command, flags)
  const entry = toEntry(given.words, given.flags)
  const machine = thisMachine()
  const written = await changeFiles(
    machine,
    { reason: `server add ${name}`, files: [flags.mcp] },
    () => addServer(name, entry, { machine, ...flags }),
  )
  line(`${paint('green', '✓')} ${name} is in ${written.file}`)
  if (written.variables.length > 0)
    line(`  Its keys are sealed in the data folder: ${written.variables.join(', ')}`)
  const missing = flags.sandbox && (await whyNoSandbox())
  if (missing)
    line(`  ${paint('yellow', '⚠')} It will not start: ${missing.why}. ${missing.nextStep}`)
  line(
    `  A running gateway loads it automatically. Try it: portolan server test ${shellWord(name)}`,
  )
}

/** Accepts a URL in place of the command: `add linear https://…`. */
function withUrl(words: readonly string[], flags: AddFlags) {
  const [word = ''] = words
  const isUrl = words.length === 1 && flags.url === undefined && /^https?:\/\//i.test(word)
  return isUrl ? { words: [], flags: { ...flags, url: word } } : { words, flags }
}

function toEntry(words: readonly string[], flags: AddFlags): JsonObject {
  const { url, description } = flags
  if ((words.length === 0) === (url === undefined))
    throw new InvalidArgumentError(
      'give either a URL, or the command after two dashes: portolan server add files -- npx -y some-server',
    )
  return {
    ...(url === undefined ? toProgram(words, flags) : toRemote(url, flags)),
    ...(description !== undefined && { description }),
  }
}

function toProgram([command, ...args]: readonly string[], flags: AddFlags): JsonObject {
  const { env, header, sandbox } = flags
  if (header) throw new InvalidArgumentError('--header is for a URL; a command has --env')
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(env && { env: pairs(env, '=') }),
    ...(sandbox && { sandbox }),
  }
}

function toRemote(url: string, { env, header, sandbox }: AddFlags): JsonObject {
  if (sandbox) throw new InvalidArgumentError('--sandbox is for a command')
  if (env) throw new InvalidArgumentError('--env is for a command; a URL has --header')
  return { url, ...(header && { headers: pairs(header, ':') }) }
}

function pairs(given: readonly string[], divider: string): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf(divider)
      if (at < 1) throw new InvalidArgumentError(`"${text}" is not name${divider}value`)
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()]
    }),
  )
}

const DONE = { remove: 'is no longer in', enable: 'is enabled in', disable: 'is disabled in' }

export async function change(
  verb: keyof typeof DONE,
  name: string,
  { mcp }: ConfigOptions,
): Promise<void> {
  const { line, paint } = createTerminal()
  const place = { machine: thisMachine(), mcp }
  const how = { reason: `server ${verb} ${name}`, files: [mcp] }
  const { file, variables } = await changeFiles(place.machine, how, () =>
    verb === 'remove' ? removeServer(name, place) : enableServer(name, verb === 'enable', place),
  )
  line(`${paint('green', '✓')} ${name} ${DONE[verb]} ${file}`)
  for (const variable of variables)
    line(
      `  ${variable} stays stored, though no other server here uses it. If none in another folder does, run: portolan secrets remove ${variable}`,
    )
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
