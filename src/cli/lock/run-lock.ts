import { basename } from 'node:path'
import { shellWord } from '../../base/text/shell-word.ts'
import { visible } from '../../base/text/visible.ts'
import { suspectsOf } from '../../app/upstreams/suspects.ts'
import { type ListChange, acceptedOf, compareLists } from '../../app/upstreams/compare-lists.ts'
import { originOf } from '../../app/upstreams/identity.ts'
import { packageOf } from '../../app/upstreams/package-of.ts'
import { listAsTheyAre } from '../../app/upstreams/quiet-pool.ts'
import { type Config, loadConfig } from '../../config/load.ts'
import { lockFileOf, readLock } from '../../config/lock/lock-file.ts'
import { type AcceptedServer, writeLockedServer } from '../../config/lock/write-locked.ts'
import { FILE_NAMES } from '../../config/paths.ts'
import type { ServerConfig } from '../../config/servers/servers.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type AcceptedLists, NOTHING_ACCEPTED } from '../../gateway/tools/accepted.ts'
import { type ConfigOptions, toLoadOptions } from '../shared/config-options.ts'
import { thisPerson } from '../shared/files/change-files.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { count, createTerminal } from '../shared/terminal/terminal.ts'

export interface LockFlags extends ConfigOptions {
  readonly check?: true
  readonly json?: true
  readonly timeout: number
}

/** What was found out about one server. */
interface LockedResult {
  readonly server: string
  /** Why it could not be compared or written. */
  readonly error?: string
  readonly changes: readonly ListChange[]
}

export async function runLock(names: readonly string[], flags: LockFlags): Promise<void> {
  const config = loadConfig(toLoadOptions(flags))
  const file = fileToLock(config)
  const servers = lockable(config, file, names)
  const { home } = config.settings
  const listed = await listAsTheyAre({ ...config, servers }, flags.timeout)
  const accepted = new Map<string, AcceptedServer>(
    [...listed].flatMap(([name, listing]) =>
      listing instanceof Error
        ? []
        : [[name, { ...acceptedOf(listing), package: packageOf(servers.get(name), home) }]],
    ),
  )
  const results = [...servers.values()].map((server): LockedResult => {
    const { name } = server
    const now = accepted.get(name)
    if (now) return compare(server, { now, accepted }, flags)
    const failure = listed.get(name)
    const error = failure instanceof Error ? failure.message : 'it was not listed'
    return { server: name, error, changes: [] }
  })
  const path = lockFileOf(file)
  if (flags.check && names.length === 0) results.push(...withoutEntries(path, config))
  if (!flags.check) {
    const place = { cwd: process.cwd(), env: process.env }
    const change = { place, file, by: thisPerson(), reason: 'lock' }
    await writeLockedServer(change, accepted)
  }
  const isBad = results.some(
    ({ error, changes }) => error !== undefined || (flags.check && changes.length > 0),
  )
  if (isBad) process.exitCode = 1
  if (flags.json) return printJson({ file: path, ok: !isBad, servers: results })
  render(results, { path, isCheck: flags.check === true })
}

function compare(
  server: ServerConfig,
  {
    now,
    accepted,
  }: { readonly now: AcceptedLists; readonly accepted: ReadonlyMap<string, AcceptedServer> },
  { check }: LockFlags,
): LockedResult {
  const { name } = server
  const others = [...accepted].filter(([other]) => other !== name)
  const otherTools = new Map(others.map(([other, lists]) => [other, namesIn(lists)]))
  const findSuspects = suspectsOf(name, () => otherTools)(namesIn(now))
  const { locked, wrongDestination } = originOf(server) ?? {}
  const changes = compareLists(locked ?? NOTHING_ACCEPTED, now, findSuspects)
  const wrong = wrongDestination ?? wrongVersion(locked?.package, accepted.get(name)?.package)
  const error = check ? (locked ? wrong : 'mcp.lock does not have it') : undefined
  return { server: name, changes, ...(error !== undefined && { error }) }
}

function wrongVersion(
  locked: AcceptedServer['package'],
  now: AcceptedServer['package'],
): string | undefined {
  if (!locked || !now || locked.version === now.version) return undefined
  return `mcp.lock has version ${locked.version} of its package, and its entry starts ${now.version}`
}

function namesIn({ tools }: AcceptedLists): string[] {
  return Object.keys(tools)
}

/** A lock that has servers which are gone was not written for this file. */
function withoutEntries(path: string, { servers }: Config): LockedResult[] {
  const gone = Object.keys(readLock(path)?.servers ?? {}).filter((name) => !servers.has(name))
  return gone.map((server) => ({ server, error: 'only mcp.lock has it', changes: [] }))
}

function render(
  results: readonly LockedResult[],
  { path, isCheck }: { readonly path: string; readonly isCheck: boolean },
): void {
  const { line, paint } = createTerminal()
  for (const { server, error, changes } of results) {
    if (error !== undefined) line(`${paint('red', '✗')} ${server}: ${visible(error)}`)
    else if (isCheck && changes.length > 0)
      line(`${paint('red', '✗')} ${server}: ${count(changes.length, 'change')} since it was locked`)
    else line(`${paint('green', '✓')} ${server}${isCheck ? ' is as locked' : ''}`)
    for (const { kind, name, class: change, reasons, diff } of changes) {
      line(`    ${kind} ${visible(name)}: ${change}: ${visible(reasons.join('; '))}`)
      if (isCheck) for (const text of diff) line(`      ${visible(text)}`)
    }
  }
  const bad = results.some(({ error, changes }) => error !== undefined || changes.length > 0)
  if (!isCheck) line(`${path} says what is accepted. Commit it with ${FILE_NAMES.mcp}.`)
  else if (bad) line('Read what has changed, and accept it with: portolan lock')
}

/** The project's servers file, as locks are shared with it; else the person's own. */
function fileToLock({ files }: Config): string {
  const file = files.mcp.at(-1)?.path
  if (file !== undefined) return file
  throw new GatewayError('INVALID_PARAMS', 'There is no servers file here that is trusted', {
    hint: 'Go to the folder of your .mcp.json, run portolan trust there, or name a file with --mcp.',
  })
}

function lockable(
  { servers, origins }: Config,
  file: string,
  names: readonly string[],
): ReadonlyMap<string, ServerConfig> {
  const all = [...servers].filter(([name]) => origins.servers.get(name) === file)
  const missing = names.find((name) => !all.some(([known]) => known === name))
  if (missing !== undefined)
    throw new GatewayError('SERVER_NOT_FOUND', `There is no server '${missing}' in ${file}`, {
      hint: `portolan server list shows them. For another file: portolan lock --mcp ${shellWord(basename(file))}`,
    })
  const wanted = all.filter(
    ([name, { kind, enabled }]) =>
      (names.length === 0 || names.includes(name)) &&
      enabled &&
      (kind === 'stdio' || kind === 'http' || kind === 'broken'),
  )
  return new Map(wanted)
}
