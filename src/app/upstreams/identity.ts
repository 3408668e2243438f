import { createHash } from 'node:crypto'
import type { ServerConfig } from '../../config/servers/servers.ts'
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
