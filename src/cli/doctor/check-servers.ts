import { type Probe, probeServers } from '../../app/health/probe-servers.ts'
import type { Config } from '../../config/load.ts'
import type { ServerProbe } from '../../app/health/probe.ts'
import { reviewCommand } from '../../gateway/names/held-tool.ts'
import type { LeftOut } from '../../gateway/upstream.ts'
import { commandsFor } from '../../config/servers/missing-variables.ts'
import type { ServerConfig } from '../../config/servers/servers.ts'
import { SecretValues } from '../../base/secrets/secret-values.ts'
import { shellWord } from '../../base/text/shell-word.ts'
import { oneSessionHint } from '../../upstreams/failures.ts'
import { configuredSecrets } from '../../config/configured-secrets.ts'
import { count } from '../shared/terminal/terminal.ts'
import { type Finding, findings } from './finding.ts'

const SLOW_MS = 10_000

export interface CheckServersOptions {
  readonly timeoutMs: number
  readonly onProgress: (done: number, total: number, waitingFor: readonly string[]) => void
}

/** Starts or contacts every server, as the gateway would. */
export async function checkServers(
  config: Config,
  { timeoutMs, onProgress }: CheckServersOptions,
): Promise<Finding[]> {
  const enabled = [...config.servers.values()].filter((server) => server.enabled)
  const waiting = new Set(enabled.map(({ name }) => name))
  const onProbe = ({ name }: Probe) => {
    waiting.delete(name)
    onProgress(enabled.length - waiting.size, enabled.length, [...waiting])
  }
  const probes = await probeServers(config, { timeoutMs, onProbe })
  const secrets = new SecretValues()
  secrets.learn(configuredSecrets(config, process.env))
  return probes.map((probe) => secrets.hideDeep(toFinding(probe.name, probe, config)))
}

/** Converts the probe of a server to a finding. */
export function toFinding(
  name: string,
  probe: ServerProbe,
  config: Pick<Config, 'servers' | 'origins'>,
): Finding {
  const { ok, warn, fail } = findings('servers')
  const { ms, tools = 0, tokens = 0, leftOut = [], error } = probe
  if (error !== undefined) {
    const said = withoutName(error, name)
    const fix = probe.signIn ?? probe.nextStep ?? fixFor(config.servers.get(name), said, config)
    return { ...fail(`${name}: ${said}`, fix), details: probe.output }
  }
  const file = config.origins.servers.get(name)
  const from = file === undefined ? '' : `, from ${file}`
  const summary = `${name}: ${count(tools, 'tool')}, ${count(tokens, 'token')}, ${ms} ms${from}`
  const held = heldOf(name, probe, summary)
  if (held) return held
  if (leftOut.length > 0)
    return {
      ...warn(summary, 'Tell its authors: clients refuse the definitions that are left out.'),
      details: leftOut.map(toLine),
    }
  if (tools === 0) return warn(summary, 'It answers but offers no tools. Check its configuration.')
  if (ms > SLOW_MS)
    return warn(
      summary,
      'It is slow to start. Where npx or uvx downloads it each time, install it (npm i -g, uv tool install).',
    )
  return ok(summary)
}

function heldOf(name: string, { held = [] }: ServerProbe, summary: string): Finding | undefined {
  if (held.length === 0) return undefined
  const nextStep = `See what has changed, and decide: ${reviewCommand(name)}`
  return {
    ...findings('servers').warn(`${summary}; ${count(held.length, 'change')} held`, nextStep),
    details: held.map((one) => `${one.kind} ${JSON.stringify(one.name)} is held: ${one.reason}`),
  }
}

/** Says in one line which definition is left out, and why. */
export function toLine({ kind, name, reason }: LeftOut): string {
  if (kind === 'override')
    return `what its entry says of ${JSON.stringify(name)} has no effect: ${reason}`
  return `${kind} ${JSON.stringify(name)} is left out: ${reason}`
}

/** Removes the server's name, which the finding already has. */
function withoutName(error: string, name: string): string {
  const start = ['Server unavailable: ', 'Server '].find((words) =>
    error.startsWith(`${words}'${name}': `),
  )
  return start === undefined ? error : error.slice(`${start}'${name}': `.length)
}

function fixFor(
  server: ServerConfig | undefined,
  said: string,
  config: Pick<Config, 'origins'>,
): string {
  return commandsFor(said) ?? fixForKind(server, said, config)
}

function fixForKind(
  server: ServerConfig | undefined,
  said: string,
  { origins }: Pick<Config, 'origins'>,
): string {
  const place = `"${server?.name}" in ${origins.servers.get(server?.name ?? '') ?? '.mcp.json'}`
  if (said.startsWith('no answer')) return fixForSilence(server)
  switch (server?.kind) {
    case 'stdio':
      return said.includes('ENOENT')
        ? missingProgram(server.command, place)
        : `Start "${server.command}" by hand with its arguments to see why, or fix ${place}.`
    case 'http':
      return fixForAnswer(said, place)
    case 'openapi':
      return `portolan api inspect ${shellWord(server.openapi)}`
    default:
      return `Fix ${place}.`
  }
}

const DOWNLOADERS = /(?:^|[\\/])(npx|pnpx|bunx|uvx|pipx|docker|podman)(?:\.\w+)?$/

/** Suggests a longer timeout, as many servers are downloaded at their first start. */
function fixForSilence(server: ServerConfig | undefined): string {
  const [, program] = (server?.kind === 'stdio' && DOWNLOADERS.exec(server.command)) || []
  return program === undefined
    ? 'Allow more time with --timeout, or find out what it waits for.'
    : `${program} may still be downloading it: allow more time once, such as --timeout 3m, or install it first.`
}

/** Splits a `command` that holds a whole shell line, a common mistake. */
function missingProgram(command: string, place: string): string {
  const [program, ...words] = command.split(/\s+/)
  if (words.length === 0 || /[\\/]/.test(program ?? ''))
    return `Install "${command}", or fix the command of ${place}.`
  const args = words.map((word) => JSON.stringify(word)).join(', ')
  return `"command" is the program alone: write "command": "${program}", "args": [${args}] for ${place}.`
}

/** Suggests a fix by what a server answered, if it did. */
function fixForAnswer(said: string, place: string): string {
  const hint = oneSessionHint(said)
  if (hint !== undefined) return hint
  const status = Number(/^it answered HTTP (\d+)/.exec(said)?.[1])
  if (Number.isNaN(status)) return `Check that it is running at the url of ${place}.`
  if (status === 401 || status === 403) return `Check the key in the headers of ${place}.`
  if (status >= 500) return `It runs and fails: look at its log, or check the url of ${place}.`
  return `Something else answers there: check the path in the url of ${place}. It often ends in /mcp or /sse.`
}
