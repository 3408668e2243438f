import { configuredSecrets } from '../../config/configured-secrets.ts'
import { SecretValues } from '../../base/secrets/secret-values.ts'
import type { ServerConfig } from '../../config/servers/servers.ts'
import type { Settings } from '../../config/settings/settings.ts'
import type { TriedServer } from '../../dashboard/server-adder.ts'
import { suspectsIn } from '../../upstreams/drift/apply-drift.ts'
import { probe } from '../health/probe.ts'
import { acceptedOf } from '../upstreams/compare-lists.ts'
import { packageOf } from '../upstreams/package-of.ts'
import { createQuietPool } from '../upstreams/quiet-pool.ts'
import { suspectsOf } from '../upstreams/suspects.ts'

/**
 * Starts or reaches a server that is not configured yet, lists it, scans what it lists, and stops it. Its
 * package stays installed.
 */
export async function tryServer(
  server: ServerConfig,
  { settings, timeoutMs }: { readonly settings: Settings; readonly timeoutMs: number },
): Promise<TriedServer> {
  if (server.kind === 'broken')
    return { probe: { ms: 0, error: server.error }, findings: [], accepted: undefined }
  const config = {
    settings,
    servers: new Map([[server.name, { ...server, enabled: true }]]),
  }
  const pool = createQuietPool(config, { isUnguarded: true })
  try {
    const [upstream] = pool.adopt(config)
    if (!upstream) throw new Error('no upstream')
    const secrets = new SecretValues()
    secrets.learn(configuredSecrets(config, process.env))
    const answer = secrets.hideDeep(await probe(upstream, timeoutMs))
    if (answer.error !== undefined) return { probe: answer, findings: [], accepted: undefined }
    const findings = suspectsIn(upstream.listing, suspectsOf(server.name))
    const isRemote = server.kind === 'stdio' || server.kind === 'http'
    const mustBeRead = findings.some((finding) => finding.class === 'high')
    if (!isRemote || mustBeRead) return { probe: answer, findings, accepted: undefined }
    const accepted = {
      ...acceptedOf(upstream.listing),
      package: packageOf(server, settings.home),
    }
    return { probe: answer, findings, accepted }
  } finally {
    await pool.close()
  }
}
