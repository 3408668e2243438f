import { type Probe, probeServers } from '../../app/probe-servers.ts'
import type { Config } from '../../config/load.ts'
import type { ServerConfig } from '../../config/servers.ts'
import { SecretValues } from '../../base/secret-values.ts'
import { configuredSecrets } from '../../config/configured-secrets.ts'
import { type Finding, findings } from './finding.ts'

const SLOW_MS = 10_000

export interface CheckServersOptions {
  readonly timeoutMs: number
  readonly onProgress: (done: number, total: number) => void
}

/** Starts or reaches every server, as the gateway would. */
export async function checkServers(
  config: Config,
  { timeoutMs, onProgress }: CheckServersOptions,
): Promise<Finding[]> {
  const total = [...config.servers.values()].filter(({ enabled }) => enabled).length
  let done = 0
  const onProbe = () => onProgress(++done, total)
  const probes = await probeServers(config, { timeoutMs, onProbe })
  const secrets = new SecretValues()
  secrets.learn(configuredSecrets(config, process.env))
  return probes.map((probe) => secrets.hideDeep(toFinding(probe, config)))
}

function toFinding(probe: Probe, config: Config): Finding {
  const { ok, warn, fail } = findings('servers')
  const { name, ms, tools = 0, tokens = 0, error } = probe
  if (error !== undefined) {
    const said = error.replace(`Server unavailable: '${name}': `, '')
    return fail(`${name}: ${said}`, probe.signIn ?? fixFor(config.servers.get(name), said, config))
  }
  const told = `${name}: ${tools} tools, ${tokens.toLocaleString('en')} tokens, ${ms} ms`
  if (tools === 0) return warn(told, 'It answers, but offers no tools: is it configured fully?')
  if (ms > SLOW_MS)
    return warn(told, 'Slow to start: install it for good (npm i -g, uv tool install).')
  return ok(told)
}

function fixFor(server: ServerConfig | undefined, said: string, { paths }: Config): string {
  const place = `"${server?.name}" in ${paths.mcp ?? '.mcp.json'}`
  if (said.startsWith('no answer'))
    return 'Give it longer with --timeout, or see what it waits for.'
  switch (server?.kind) {
    case 'stdio': {
      const program = `"${server.command}"`
      return said.includes('ENOENT')
        ? `Install ${program}, or mend the command of ${place}.`
        : `Start ${program} by hand with its arguments to see why, or mend ${place}.`
    }
    case 'http':
      return `Is it running there? The address is the url of ${place}.`
    case 'openapi':
      return `portolan api inspect ${server.openapi}`
    default:
      return `Mend ${place}.`
  }
}
