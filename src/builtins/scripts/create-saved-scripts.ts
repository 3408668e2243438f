import { createHash } from 'node:crypto'
import {
  type SavedScripts,
  type ScriptApproval,
  type ScriptChoice,
  type ScriptDraft,
  type ScriptState,
  type ScriptVersion,
  ScriptError,
} from '../../protocol/saved-scripts.ts'
import { notify } from '../../storage/notices.ts'
import { nextRevision } from '../../storage/revisions.ts'
import {
  type ScriptRow,
  activeVersions,
  addVersion,
  countScripts,
  currentVersions,
  decide,
  deleteScript,
  holdScript,
  lockScript,
  setActive,
  versionsOf,
} from '../../storage/scripts/script-versions.ts'
import type { Db, Storage } from '../../storage/storage.ts'
import { isObject } from '../../base/json/json.ts'

/** The revision series of script changes, so that caches know when to read the scripts again. */
export const SERIES = 'scripts'

/** Limited because all scripts are kept in memory as tools that agents search. */
const MAX_SCRIPTS = 500
/** Limited because a person reads each of them. */
const MAX_PROPOSALS = 100
const MAX_VERSIONS = 200

/** Keeps saved scripts in a database that any number of gateways may share. */
export function createSavedScripts(storage: Storage): SavedScripts {
  const { db, engine } = storage

  async function change<Result>(work: (tx: Db) => Promise<Result>): Promise<Result> {
    return storage.transaction(async (tx) => {
      const result = await work(tx)
      const revision = await nextRevision(tx, SERIES)
      await notify(tx, engine, 'scripts', String(revision))
      return result
    })
  }

  async function add(draft: ScriptDraft, author: string, state: 'proposed' | 'approved') {
    checkDraft(draft)
    const { name, description, inputSchema, source } = draft
    return change(async (tx) => {
      await holdScript(tx, name)
      const [newest, ...older] = await versionsOf(tx, name)
      refuseTooMany({
        ...(await countScripts(tx)),
        versions: older.length + (newest ? 1 : 0),
        isProposal: state === 'proposed',
      })
      const version = (newest?.version ?? 0) + 1
      const now = Date.now()
      const isApproved = state === 'approved'
      await addVersion(tx, {
        name,
        version,
        description: description.trim(),
        input_schema_json: JSON.stringify(inputSchema),
        source,
        state,
        author,
        created_at: now,
        decided_by: isApproved ? author : null,
        decided_at: isApproved ? now : null,
      })
      if (isApproved) await setActive(tx, name, version)
      return found(tx, { name, version })
    })
  }

  async function settle(
    choice: ScriptChoice | ScriptApproval,
    by: string,
    state: 'approved' | 'rejected',
  ) {
    return change(async (tx) => {
      // Another decision at the same moment could make a version active that is rejected here.
      await lockScript(tx, choice.name)
      const { name, version, isActive } = await found(tx, choice)
      await decide(tx, { name, version }, { state, decided_by: by, decided_at: Date.now() })
      if (state === 'approved') await setActive(tx, name, version)
      else if (isActive) await setActive(tx, name, null)
      return found(tx, { name, version })
    })
  }

  return {
    list: async () => (await currentVersions(db)).map(toVersion),
    history: async (name) => (await versionsOf(db, name)).map(toVersion),
    active: async () => (await activeVersions(db)).map(toVersion),
    propose: async (draft, author) => add(draft, author, 'proposed'),
    save: async (draft, author) => add(draft, author, 'approved'),
    approve: async (choice, by) => settle(choice, by, 'approved'),
    reject: async (choice, by) => settle(choice, by, 'rejected'),
    remove: async (name) => change(async (tx) => deleteScript(tx, name)),
  }
}

async function found(db: Db, choice: ScriptChoice | ScriptApproval): Promise<ScriptVersion> {
  const { name } = choice
  const rows = await versionsOf(db, name)
  if (rows.length === 0)
    throw new ScriptError(`There is no script '${name}'`, '`portolan scripts list` shows them.')
  if ('digest' in choice) return withDigest(rows.map(toVersion), choice)
  const { version } = choice
  const row = version === undefined ? rows[0] : rows.find((each) => each.version === version)
  if (!row)
    throw new ScriptError(
      `The script '${name}' has no version ${version}`,
      `\`portolan scripts history ${name}\` shows its versions.`,
    )
  return toVersion(row)
}

function withDigest(
  versions: readonly ScriptVersion[],
  { name, digest }: ScriptApproval,
): ScriptVersion {
  const version = versions.find((each) => each.digest === digest)
  if (version) return version
  throw new ScriptError(
    `No version of the script '${name}' has the digest ${digest}`,
    `Read the version and its digest again: portolan scripts show ${name}`,
  )
}

/** 64 bits: nobody finds another script with the digest of one that a person has read. */
const DIGEST_CHARACTERS = 16

function digestOf({ description, input_schema_json, source }: ScriptRow): string {
  const content = JSON.stringify([description, input_schema_json, source])
  return createHash('sha256').update(content).digest('hex').slice(0, DIGEST_CHARACTERS)
}

interface Counts {
  readonly scripts: number
  readonly proposed: number
  readonly versions: number
  readonly isProposal: boolean
}

function refuseTooMany({ scripts, proposed, versions, isProposal }: Counts): void {
  if (scripts > MAX_SCRIPTS)
    throw new ScriptError(
      `There are ${MAX_SCRIPTS} saved scripts already`,
      'Remove one that nobody uses with `portolan scripts remove`.',
    )
  if (versions >= MAX_VERSIONS)
    throw new ScriptError(
      `The script has ${MAX_VERSIONS} versions already`,
      'Save it under another name, or remove it first.',
    )
  if (isProposal && proposed >= MAX_PROPOSALS)
    throw new ScriptError(
      `${MAX_PROPOSALS} proposals wait for a decision`,
      'A person decides with `portolan scripts approve` or `reject`, or on the dashboard.',
    )
}

function toVersion(row: ScriptRow): ScriptVersion {
  return {
    name: row.name,
    version: row.version,
    digest: digestOf(row),
    description: row.description,
    inputSchema: JSON.parse(row.input_schema_json),
    source: row.source,
    state: toState(row.state),
    isActive: row.active_version === row.version,
    author: row.author,
    createdAt: row.created_at,
    ...(row.decided_by !== null && { decidedBy: row.decided_by }),
    ...(row.decided_at !== null && { decidedAt: row.decided_at }),
  }
}

function toState(text: string): ScriptState {
  return text === 'approved' || text === 'rejected' ? text : 'proposed'
}

/** Valid as a tool name and as a JavaScript property name. */
const NAME = /^[a-z][a-z\d_]{0,47}$/
const MAX_DESCRIPTION = 1000
const MAX_SCHEMA = 16 * 1024
const MAX_SOURCE = 64 * 1024

/** Throws if a draft cannot be a tool, because all callers would see it. */
function checkDraft({ name, description, inputSchema, source }: ScriptDraft): void {
  if (!NAME.test(name))
    throw new ScriptError(
      `'${name}' is not a name for a script`,
      'Use up to 48 small letters, digits and underscores, with a letter first: count_late_births.',
    )
  if (description.trim() === '' || description.length > MAX_DESCRIPTION)
    throw new ScriptError(
      'A saved script needs a description',
      `Say in at most ${MAX_DESCRIPTION} characters what it does: agents find it by that.`,
    )
  if (!isObject(inputSchema) || inputSchema['type'] !== 'object')
    throw new ScriptError(
      'The input schema is not that of an object',
      'Give a JSON Schema such as {"type":"object","properties":{"month":{"type":"integer"}}}.',
    )
  if (JSON.stringify(inputSchema).length > MAX_SCHEMA)
    throw new ScriptError(
      'The input schema is too long',
      `It has room for ${MAX_SCHEMA} characters.`,
    )
  if (source.trim() === '' || source.length > MAX_SOURCE)
    throw new ScriptError(
      source.trim() === '' ? 'The script is empty' : 'The script is too long',
      `A saved script has from 1 to ${MAX_SOURCE} characters.`,
    )
}
