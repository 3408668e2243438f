import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { isInside, resolveLinks } from '../../../base/files/paths.ts'
import { SECRET_PLACES, SYSTEM_PLACES } from './places.ts'
import { REFUSED_HOST } from './listed-hosts.ts'
import type { Mount, SandboxEntry } from './sandbox.ts'

/** Node says ENOENT where it cannot make a folder and those above it. */
const READ_ONLY = /EROFS|read-only file ?system|ENOENT: no such file or directory, mkdir/i
const UNREADABLE = /EACCES|EPERM|ENOENT|permission denied|no such file|does not exist|not found/i
const UNREACHABLE =
  /\b(?:ENETUNREACH|EAI_AGAIN|ENOTFOUND)\b|network is unreachable|temporary failure in name resolution/i
const HOST = /(?:getaddrinfo \w+|lookup|host(?:name)?:?) ['"]?((?:[\w-]+\.)+[a-z]{2,63})\b/i
const PATH = /(?:^|[\s'"`(=])(\/[^\s'"`():,]{1,500}(?:\/[^\s'"`():,]{0,500})*)/g

interface Known {
  readonly sandbox: SandboxEntry
  readonly mounts: readonly Mount[]
  readonly ownFolders: readonly string[]
}

/**
 * Returns what in the entry of a server would allow what a line of its output says was refused;
 * undefined if the sandbox is not the reason.
 */
export function adviceFor(
  line: string,
  { sandbox, mounts, ownFolders }: Known,
): string | undefined {
  const [, refused] = new RegExp(`${REFUSED_HOST} ([\\w.-]{1,253})`).exec(line) ?? []
  if (refused !== undefined) return toReach([refused], sandbox)
  if (sandbox.network === 'none' && UNREACHABLE.test(line))
    return toReach(HOST.exec(line)?.slice(1, 2) ?? [], sandbox)
  const paths = [...line.matchAll(PATH)].map(([, path = '']) => path)
  const [first] = paths
  if (READ_ONLY.test(line) && first !== undefined)
    return `Its sandbox does not let it write ${first}. This in its entry allows it: ${lineFor('write', toWrite(first))}`
  const hidden = UNREADABLE.test(line)
    ? paths.find((path) => existsSync(path) && !isSeen(path, mounts))
    : undefined
  if (hidden === undefined || ownFolders.some((folder) => isInside(hidden, folder)))
    return undefined
  return `Its sandbox hides ${hidden} from it. This in its entry allows it: ${lineFor('read', hidden)}${warningOf(hidden)}`
}

function warningOf(path: string): string {
  const isSecret = SECRET_PLACES.some((name) => isInside(path, resolveLinks(join(homedir(), name))))
  return isSecret ? ' Keys and passwords are there: allow it only if it must have them.' : ''
}

/** A file that does not exist yet needs its folder. */
function toWrite(path: string): string {
  const isNew = extname(path) !== '' && !existsSync(path)
  return isNew && dirname(path) !== homedir() ? dirname(path) : path
}

function lineFor(key: 'read' | 'write' | 'network', ...values: readonly string[]): string {
  return `"sandbox": ${JSON.stringify({ [key]: values })}`
}

function toReach(hosts: readonly string[], { network }: SandboxEntry): string {
  const listed = typeof network === 'string' ? [] : network
  const [host] = hosts
  if (host === undefined)
    return 'Its sandbox gives it no network. This in its entry allows it: "sandbox": {"network":"any"}, or a list of hosts.'
  return `Its sandbox does not let it reach ${host}. This in its entry allows it: ${lineFor('network', ...listed, host)}`
}

function isSeen(path: string, mounts: readonly Mount[]): boolean {
  const last = mounts.findLast((mount) => isInside(path, mount.path))
  if (last) return last.how !== 'hide'
  return SYSTEM_PLACES.some((place) => isInside(path, place))
}
