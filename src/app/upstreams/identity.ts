import { createHash } from 'node:crypto'
import { isSecretName } from '../../base/secrets/secrets.ts'
import { withoutVersion } from '../../config/lock/apply-lock.ts'
import type {
  HttpServer,
  ServerConfig,
  ServerOrigin,
  StdioServer,
} from '../../config/servers/servers.ts'
import type { Shape } from '../../upstreams/expose/reshape.ts'
import type { PoolUser } from './upstream-pool.ts'

/** Returns an entry as it is in one folder, where its program runs unless the entry says where. */
export function inFolder(server: ServerConfig, { place }: PoolUser): ServerConfig {
  if (server.kind !== 'stdio' || server.cwd !== undefined) return server
  return { ...server, cwd: place.cwd }
}

/**
 * Returns what makes a server the same for several folders, and for replicas: its whole entry, with
 * all variables filled in. What runs in this process may read the folder and its variables itself,
 * so each folder has its own.
 */
export function idOf(server: ServerConfig, { id }: PoolUser): string {
  const isInProcess = server.kind === 'builtin' || server.kind === 'openapi'
  const content = JSON.stringify([server, isInProcess ? id : undefined])
  return `${server.name}#${createHash('sha256').update(content).digest('base64url').slice(0, 22)}`
}

/**
 * Returns what makes a server the same for what was accepted of it: its entry, in any version and
 * with any secrets. With other arguments a server may offer other things.
 */
export function acceptedIdentity(
  server: StdioServer | HttpServer,
  origin: ServerOrigin | undefined,
): unknown {
  if (server.kind === 'http') return [origin?.file, server.url]
  const { command, args, env } = server
  const settings = Object.entries(env).filter(([name]) => !isSecretName(name))
  return [
    origin?.file,
    command,
    args.map(withoutVersion),
    settings.toSorted(([one], [other]) => (one < other ? -1 : 1)),
  ]
}

/** Returns where the entry of a server is, and what was accepted there. */
export function originOf(server: ServerConfig | undefined): ServerOrigin | undefined {
  return server?.kind === 'stdio' || server?.kind === 'http' ? server.origin : undefined
}

/** Separates what an entry says about tools, which needs no restart, from what its server is made of. */
export function apart(server: ServerConfig): {
  readonly shape: Shape
  readonly origin: ServerOrigin | undefined
  readonly rest: ServerConfig
} {
  if (server.kind === 'broken') {
    const { overrides, ...rest } = server
    return { shape: { overrides }, origin: undefined, rest }
  }
  const { tools, changedTools, overrides, changedOverrides, origin, ...rest } = server
  return { shape: { choices: [tools, changedTools], overrides, changedOverrides }, origin, rest }
}
