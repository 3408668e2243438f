import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import { readFoundFile } from '../../base/files/read-found-file.ts'
import { replaceFile } from '../../base/files/replace-file.ts'
import { messageOf } from '../../base/errors.ts'
import { describeIssue } from '../issues.ts'
import { LOCK_NAME } from '../paths.ts'
import { ConfigError, formatPath } from '../problem.ts'
import { EMPTY_SERVER, type Lock, type LockedServer, lockSchema } from './lock-schema.ts'

/** JSON has no comments, so this is a field that nothing reads. */
const ABOUT = [
  'What was accepted of the servers in .mcp.json: which package runs, and each tool as it was read.',
  'Commit this file, and do not edit it by hand. `portolan lock` writes it, `portolan lock --check`',
  'compares it with what the servers are now, `portolan server review` shows what has changed.',
]

/** Returns where the lock of a servers file is: beside it. */
export function lockFileOf(serversFile: string): string {
  return join(dirname(serversFile), LOCK_NAME)
}

export function isLockFile(path: string): boolean {
  return basename(path) === LOCK_NAME
}

/** Reads a lock; undefined if there is none. Throws `ConfigError` if it cannot be used. */
export function readLock(path: string): Lock | undefined {
  if (!existsSync(path)) return undefined
  return parseLock(readFoundFile(path) ?? '', path)
}

/** Parses the text of a lock; throws `ConfigError` if it cannot be used. */
export function parseLock(text: string, path: string): Lock {
  const problem = (at: string, message: string) =>
    new ConfigError([{ file: path, path: at, message, hint: 'Write it again with: portolan lock' }])
  let content: unknown
  try {
    content = parseExact(text)
  } catch (error) {
    throw problem('', `is not valid JSON: ${messageOf(error)}`)
  }
  const parsed = lockSchema.safeParse(content)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw issue
    ? problem(formatPath(issue.path), describeIssue(issue, content))
    : problem('', 'is no lock')
}

/** Returns the text of a lock: the same for the same content, whoever writes it. */
export function lockText({ version, servers }: Lock): string {
  const content = { '//': ABOUT, version, servers: mapSorted(servers, toOrdered) }
  return `${stringifyExact(content, undefined, 2)}\n`
}

export function writeLock(path: string, lock: Lock): void {
  replaceFile(path, lockText(lock))
}

/**
 * Returns the lock with another record of one server; without `server`, with none of it.
 *
 * @example
 * ```ts
 * const lock = readLock(path) ?? EMPTY_LOCK
 * writeLock(path, withServer(lock, 'files', { ...lock.servers['files'], package: resolved }))
 * ```
 */
export function withServer(lock: Lock, name: string, server?: Partial<LockedServer>): Lock {
  const { [name]: before, ...others } = lock.servers
  if (!server) return { ...lock, servers: others }
  return { ...lock, servers: { ...others, [name]: { ...EMPTY_SERVER, ...before, ...server } } }
}

function toOrdered(server: LockedServer) {
  const { tools, prompts, resourceTemplates, instructions } = server
  const lists = { tools, prompts, resourceTemplates, instructions }
  return {
    ...(server.package && { package: server.package }),
    ...(server.command && { command: server.command }),
    ...(server.url !== undefined && { url: server.url }),
    ...Object.fromEntries(
      Object.entries(lists)
        .filter(([, list]) => Object.keys(list).length > 0)
        .map(([name, list]) => [name, mapSorted(list, (entry) => entry)]),
    ),
  }
}

function mapSorted<Value>(
  values: Readonly<Record<string, Value>>,
  toOther: (value: Value) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => [name, toOther(value)]),
  )
}
