import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { messageOf } from '../../base/errors.ts'
import { readFoundFile } from '../../base/files/read-found-file.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { LockedPackage } from '../../gateway/tools/locked-package.ts'
import { pinnablePackage } from '../servers/npm-package.ts'
import type { ServerConfig, StdioServer } from '../servers/servers.ts'
import { type NamedFiles, hashOf, whyChanged } from '../trust/named-files.ts'
import { realPath } from '../trust/trust-list.ts'
import { lockFileOf, parseLock } from './lock-file.ts'
import { EMPTY_LOCK, type LockedServer } from './lock-schema.ts'

type Servers = ReadonlyMap<string, ServerConfig>

/**
 * Notes at each server of a servers file what the lock beside it says was accepted. A lock that is
 * not as in `names`, with which a person has trusted the servers file, accepts nothing.
 */
export function applyLock(
  servers: Servers,
  content: unknown,
  file: string,
  names: NamedFiles | undefined,
): { readonly servers: Servers; readonly warnings: readonly string[] } {
  const { lock, warnings } = usableLock(file, names)
  const entries = entriesIn(content)
  const noted = [...servers].map(([name, server]): [string, ServerConfig] => {
    if (server.kind !== 'stdio' && server.kind !== 'http') return [name, server]
    const locked = Object.hasOwn(lock.servers, name) ? lock.servers[name] : undefined
    const wrongDestination = locked && whyElsewhere(locked, entries[name])
    const origin = { file, locked, ...(wrongDestination && { wrongDestination }) }
    const own = server.kind === 'stdio' ? lockedPackageFor(server, locked) : undefined
    return [name, { ...server, origin, ...(own && { locked: own }) }]
  })
  return { servers: new Map(noted), warnings }
}

function usableLock(file: string, names: NamedFiles | undefined) {
  const nothing = { lock: EMPTY_LOCK, warnings: [] }
  const path = lockFileOf(file)
  try {
    const text = existsSync(path) ? readFoundFile(path) : undefined
    if (text === undefined) return nothing
    if (names && names[realPath(path)] !== hashOf(text))
      return {
        ...nothing,
        warnings: [
          `${whyChanged(path, dirname(file))} Until then, what was accepted earlier applies.`,
        ],
      }
    return { lock: parseLock(text, path), warnings: [] }
  } catch (error) {
    return {
      ...nothing,
      warnings: [`${messageOf(error)} Until then, what was accepted earlier applies.`],
    }
  }
}

function entriesIn(content: unknown): JsonObject {
  const entries = isObject(content) ? content['mcpServers'] : undefined
  return isObject(entries) ? entries : {}
}

/**
 * Returns the package that an entry has by its lock; undefined if the entry names another version than
 * it did when it was locked.
 */
export function lockedPackageFor(
  { command, args }: Pick<StdioServer, 'command' | 'args'>,
  locked: Pick<LockedServer, 'command' | 'package'> | undefined,
): LockedPackage | undefined {
  const now = pinnablePackage(command, args)
  const own = locked?.package
  if (!now || own?.integrity === undefined || own.name !== now.name) return undefined
  const [program = '', ...words] = locked?.command ?? []
  const then = pinnablePackage(program, words)
  return now.spec === own.version || now.spec === then?.spec ? own : undefined
}

/** Says why what was locked is not of the server that an entry starts or connects to. */
function whyElsewhere(locked: LockedServer, entry: unknown): string | undefined {
  const now = isObject(entry) ? addressOf(entry) : {}
  const [before, after] = [destinationOf(locked), destinationOf(now)]
  if (before === after) return undefined
  return `mcp.lock is about ${before}, and its entry is ${after}`
}

/** Returns the command and arguments, or the address, that an entry has. */
export function addressOf({
  command,
  args,
  url,
}: JsonObject): Pick<LockedServer, 'command' | 'url'> {
  if (typeof command === 'string')
    return { command: [command, ...(Array.isArray(args) ? args.map(String) : [])] }
  return typeof url === 'string' ? { url } : {}
}

/** A server stays the same in another version, and with other flags or queries. */
function destinationOf({ command, url }: Pick<LockedServer, 'command' | 'url'>): string {
  if (url !== undefined) return url.replace(/[?#].*$/s, '')
  const [program = '', ...args] = command ?? []
  const isContainer = /^(?:docker|podman)$/.test(basename(program))
  const words = args.filter((word) => !word.startsWith('-'))
  const named = (isContainer ? words : words.slice(0, 1)).map(withoutVersion)
  return [basename(program), ...named].join(' ')
}

/** Removes the version of a package, or the tag of an image. */
export function withoutVersion(word: string): string {
  return word.replace(/(?<=[^/])@[^@/]*$/, '').replace(/:[\w.-]+$/, '')
}
