import { type Probe, probeServers } from '../../app/health/probe-servers.ts'
import type { Config } from '../../config/load.ts'
import type { ServerProbe } from '../../app/health/probe.ts'
import type { ServerConfig } from '../../config/servers/servers.ts'
import { SecretValues } from '../../base/secrets/secret-values.ts'
import { configuredSecrets } from '../../config/secrets/configured-secrets.ts'
import { count } from '../shared/terminal/terminal.ts'
import { type Finding, findings } from './finding.ts'

const SLOW_MS = 10_000

export interface CheckServersOptions {
  readonly timeoutMs: number
  readonly onProgress: (done: number, total: number, waitingFor: readonly string[]) => void
}

/** Starts or reaches every server, as the gateway would. */
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

/** What is to be said of a server that was asked. */
export function toFinding(name: string, probe: ServerProbe, config: Config): Finding {
  const { ok, warn, fail } = findings('servers')
  const { ms, tools = 0, tokens = 0, error } = probe
  if (error !== undefined) {
    const said = error.replace(`Server unavailable: '${name}': `, '')
    const fix = probe.signIn ?? probe.nextStep ?? fixFor(config.servers.get(name), said, config)
    return { ...fail(`${name}: ${said}`, fix), details: probe.output }
  }
  const file = config.origins.servers.get(name)
  const from = file === undefined ? '' : `, from ${file}`
  const summary = `${name}: ${count(tools, 'tool')}, ${count(tokens, 'token')}, ${ms} ms${from}`
  if (tools === 0) return warn(summary, 'It answers but offers no tools. Check its configuration.')
  if (ms > SLOW_MS)
    return warn(
      summary,
      'It is slow to start. Where npx or uvx downloads it each time, install it (npm i -g, uv tool install).',
    )
  return ok(summary)
}

function fixFor(server: ServerConfig | undefined, said: string, { origins }: Config): string {
  const place = `"${server?.name}" in ${origins.servers.get(server?.name ?? '') ?? '.mcp.json'}`
  if (said.startsWith('no answer'))
    return 'Allow more time with --timeout, or find out what it waits for.'
  switch (server?.kind) {
    case 'stdio': {
      const program = `"${server.command}"`
      return said.includes('ENOENT')
        ? `Install ${program}, or fix the command of ${place}.`
        : `Start ${program} by hand with its arguments to see why, or fix ${place}.`
    }
    case 'http':
      return `Check that it is running at the url of ${place}.`
    case 'openapi':
      return `portolan api inspect ${server.openapi}`
    default:
      return `Fix ${place}.`
  }
}
