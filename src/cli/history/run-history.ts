import { existsSync } from 'node:fs'
import { FILE_KINDS, FILE_NAMES, historyFolder } from '../../config/paths.ts'
import {
  type VersionSummary,
  describeVersion,
  diffOf,
} from '../../config/history/describe-version.ts'
import { listVersions } from '../../config/history/list-versions.ts'
import { rollback } from '../../config/history/rollback.ts'
import { recordChanges } from '../../config/history/record-changes.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { ConfigRow } from '../../storage/shared/config-versions.ts'
import { thisPerson } from '../shared/files/change-files.ts'
import { printJson } from '../shared/terminal/print-json.ts'
import { createTerminal } from '../shared/terminal/terminal.ts'
import { withStorage } from '../shared/with-database.ts'

/** All versions: to show one, that before it is needed as well. */
const MAX_SHARED = 1_000_000

interface HistoryFlags {
  readonly version?: number | undefined
  readonly limit: number
  readonly json?: true
  /** Whether the configuration in the database is meant, rather than the files. */
  readonly shared: boolean
}

export interface RollbackFlags {
  readonly message?: string
  readonly author?: string
  readonly json?: true
  readonly shared: boolean
}

const here = () => ({ cwd: process.cwd(), env: process.env })

export async function showHistory({ version, limit, json, shared }: HistoryFlags): Promise<void> {
  const all = shared
    ? await sharedVersions(version === undefined ? limit : MAX_SHARED)
    : await fileVersions()
  const found =
    version === undefined ? all.slice(0, limit) : all.filter((each) => each.version === version)
  if (version !== undefined && found.length === 0)
    throw new GatewayError('INVALID_PARAMS', `There is no version ${version}`, {
      hint: '`portolan history` lists them.',
    })
  if (json) return printJson(version === undefined ? found : found[0])
  for (const each of found) render(each, version !== undefined)
  if (found.length === 0) process.stderr.write('Nothing has been changed yet.\n')
}

function render(summary: VersionSummary, isWhole: boolean): void {
  const { version, created_at: at, author, message, files } = summary
  process.stdout.write(`${version}\t${at ?? ''}\t${author}\t${message}\n`)
  for (const { path, diff } of files) {
    if (isWhole) process.stdout.write([`=== ${path}`, ...diff, ''].join('\n'))
  }
}

/** Returns the versions of this folder and of the data folder, with what was changed by hand. */
async function fileVersions(): Promise<VersionSummary[]> {
  const isAny = existsSync(historyFolder(here()))
  if (isAny) await recordChanges(here(), { by: thisPerson(), reason: '' }, () => undefined)
  return listVersions(here())
}

async function sharedVersions(limit: number): Promise<VersionSummary[]> {
  const { configVersions } = await import('../../storage/shared/config-versions.ts')
  const rows = await withStorage(async ({ db }) => configVersions(db, limit + 1))
  return rows.map((row, at) => describeRow(row, rows[at + 1])).slice(0, limit)
}

function describeRow(row: ConfigRow, before: ConfigRow | undefined): VersionSummary {
  const { version, author, message } = row
  const created_at = new Date(row.created_at).toISOString()
  const files = FILE_KINDS.filter((kind) => row[kind] !== (before?.[kind] ?? null)).map((kind) => ({
    path: FILE_NAMES[kind],
    diff: diffOf(FILE_NAMES[kind], before?.[kind] ?? '', row[kind] ?? ''),
  }))
  return { version, created_at, author, message, files }
}

export async function rollBack(version: number, flags: RollbackFlags): Promise<void> {
  const by = flags.author ?? thisPerson()
  const reason = flags.message ?? `back to version ${version}`
  if (flags.shared) return rollBackShared(version, { by, reason })
  const { version: made } = await rollback(here(), version, { by, reason })
  if (flags.json) return printJson(made ? describeVersion(made) : null)
  const { line, paint } = createTerminal()
  if (!made) return line(`Everything is as of version ${version} already.`)
  line(`${paint('green', '✓')} As of version ${version} again; this is version ${made.version}.`)
  for (const { path } of describeVersion(made).files) line(`  ${path}`)
}

async function rollBackShared(
  version: number,
  { by, reason }: { by: string; reason: string },
): Promise<void> {
  const { rollbackConfig } = await import('../../replicas/database/push-config.ts')
  const { reportPushed } = await import('./report-pushed.ts')
  const as = { author: by, message: reason }
  reportPushed(
    await withStorage(async (storage) => rollbackConfig(storage, version, as, process.env)),
  )
}
