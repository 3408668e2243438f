import { join } from 'node:path'
import type { ServerConfig, ServerOrigin } from '../../config/servers/servers.ts'
import type { DefinitionChange } from '../../gateway/upstream.ts'
import type { Vault } from '../../identity/vault/vault.ts'
import type { Log } from '../../telemetry/log.ts'
import { acceptedKey, createAcceptedStore } from '../../upstreams/drift/accepted-store.ts'
import { DriftGuard } from '../../upstreams/drift/drift-guard.ts'
import { acceptedIdentity } from './identity.ts'
import { shareAccepted } from './shared-accepted.ts'
import { type OtherTools, suspectsOf } from './suspects.ts'

export interface GuardOptions {
  readonly home: string
  /** Where the entry is, and what was accepted there. */
  readonly origin: ServerOrigin | undefined
  readonly log: Log
  /** What replicas have accepted; undefined if they share nothing. */
  readonly vault?: Vault | undefined
  /** Set to list servers as they are, whatever was accepted of them. */
  readonly isUnguarded?: boolean
  /** What the server may imitate. */
  readonly otherTools: OtherTools
  /** Called with changes of definitions that were not known before. */
  readonly onDrift?: ((server: string, changes: readonly DefinitionChange[]) => void) | undefined
}

/**
 * Creates what holds changes of a server. What runs in this process changes only with its files, which
 * people trust, so nothing of that is ever held.
 */
export function createGuard(
  config: ServerConfig,
  { home, origin, log, vault, isUnguarded, onDrift, otherTools }: GuardOptions,
): DriftGuard | undefined {
  if (isUnguarded) return undefined
  if (config.kind !== 'stdio' && config.kind !== 'http') return undefined
  const { name } = config
  const identity = acceptedIdentity(config, origin)
  const local = createAcceptedStore(join(home, 'accepted'), name, identity)
  return new DriftGuard({
    server: name,
    store: vault ? shareAccepted(local, vault, acceptedKey(name, identity)) : local,
    locked: origin?.locked,
    wrongDestination: origin?.wrongDestination,
    suspectsAmong: suspectsOf(name, otherTools),
    report: (changes) => onDrift?.(name, changes),
    warn: (message) => log.warn(message),
  })
}
