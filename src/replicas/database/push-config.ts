import { checkStored } from '../../config/check-stored.ts'
import { FILE_KINDS, type FileKind } from '../../config/paths.ts'
import { ConfigError } from '../../config/problem.ts'
import type { StoredVersion } from '../../config/stored.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { VERSION } from '../../base/version.ts'
import { notify } from '../../storage/notices.ts'
import {
  type ConfigRow,
  addConfigVersion,
  findConfig,
  latestConfig,
} from '../../storage/shared/config-versions.ts'
import { lockName } from '../../storage/shared/locks.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Environment } from '../../base/environment.ts'
import { literalSecrets } from './literal-secrets.ts'
import { toStoredVersion } from './stored-config.ts'
import { readable } from './unreachable.ts'

export interface Push {
  /** The files to replace; the others are not changed. */
  readonly texts: StoredVersion['texts']
  readonly remove?: readonly FileKind[] | undefined
  readonly author: string
  readonly message: string
  /** The version on which it is based; the push is refused if that is no longer the newest. */
  readonly expect?: number | undefined
  /** Whether literal secrets are allowed. */
  readonly force?: boolean | undefined
}

export interface PushResult {
  readonly row: ConfigRow
  /** False if the newest version already has the same content. */
  readonly changed: boolean
  readonly warnings: readonly string[]
}

/** Adds a version, which all replicas use at once; a version with problems is refused. */
export async function pushConfig(
  storage: Storage,
  push: Push,
  env: Environment,
): Promise<PushResult> {
  return readable(async () =>
    storage.transaction(async (tx) => {
      await lockName(tx, 'config-push')
      const before = await latestConfig(tx)
      refuseOvertaken(push.expect, before)
      const texts = merged(before && toStoredVersion(before).texts, push)
      const { problems, warnings } = checkStored(texts, env)
      if (problems.length > 0) throw new ConfigError(problems)
      if (!push.force) refuseSecrets(texts)
      if (before && isSame(before, texts)) return { row: before, changed: false, warnings }
      const row = await addConfigVersion(tx, toContent(texts, push))
      await notify(tx, storage.engine, 'config', String(row.version))
      return { row, changed: true, warnings }
    }),
  )
}

/** Pushes the content of an earlier version as the next version: history is append-only. */
export async function rollbackConfig(
  storage: Storage,
  version: number,
  by: Pick<Push, 'author' | 'message'>,
  env: Environment,
): Promise<PushResult> {
  const { texts } = toStoredVersion(await mustFindConfig(storage, version))
  const remove = FILE_KINDS.filter((kind) => texts[kind] === undefined)
  return pushConfig(storage, { ...by, texts, remove, force: true }, env)
}

/** Returns the given version, or the newest; throws if there is none. */
export async function mustFindConfig(
  storage: Storage,
  version: number | undefined,
): Promise<ConfigRow> {
  const row = await readable(async () =>
    version === undefined ? latestConfig(storage.db) : findConfig(storage.db, version),
  )
  if (row) return row
  throw new GatewayError(
    'INVALID_PARAMS',
    version === undefined ? 'Nothing was pushed yet' : `There is no version ${version}`,
    { hint: '`portolan config history` shows what there is, `portolan config push` adds to it.' },
  )
}

function toContent(
  texts: StoredVersion['texts'],
  { author, message }: Push,
): Omit<ConfigRow, 'version'> {
  return {
    author,
    message,
    pushed_by: VERSION,
    created_at: Date.now(),
    mcp: texts.mcp ?? null,
    rules: texts.rules ?? null,
    settings: texts.settings ?? null,
  }
}

function merged(
  before: StoredVersion['texts'] | undefined,
  { texts, remove = [] }: Push,
): StoredVersion['texts'] {
  const all = { ...before, ...texts }
  return Object.fromEntries(
    FILE_KINDS.flatMap((kind) =>
      remove.includes(kind) || all[kind] === undefined ? [] : [[kind, all[kind]]],
    ),
  )
}

function isSame(row: ConfigRow, texts: StoredVersion['texts']): boolean {
  return FILE_KINDS.every((kind) => row[kind] === (texts[kind] ?? null))
}

function refuseOvertaken(expected: number | undefined, before: ConfigRow | undefined): void {
  if (expected === undefined || expected === (before?.version ?? 0)) return
  const now = before ? `version ${before.version}, by ${before.author}` : 'nothing yet'
  throw new GatewayError('INVALID_PARAMS', `You expected version ${expected}; there is ${now}`, {
    hint: 'Look at it with `portolan config diff`, then push with its number.',
  })
}

function refuseSecrets(texts: StoredVersion['texts']): void {
  const places = literalSecrets(texts)
  if (places.length === 0) return
  throw new GatewayError(
    'INVALID_PARAMS',
    `Secrets would be readable to whoever can read the database: ${places.join(', ')}`,
    {
      hint: 'Write ${VAR} and set VAR in the environment of each replica, or push with --force if these are none.',
    },
  )
}
