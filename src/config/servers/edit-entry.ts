import { isDeepStrictEqual } from 'node:util'
import { type JsonPath, editJson } from '../../base/json/edit-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { hideFields } from '../../base/secrets/hide-fields.ts'
import { HIDDEN } from '../../base/secrets/secrets.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type ChangedFile, changeFile, digestOf } from '../history/change-file.ts'
import { movedSecrets } from '../history/config-files.ts'
import { parseJson } from '../parse-text.ts'
import type { Workspace } from '../paths.ts'
import { describeProblem } from '../problem.ts'
import { appendSecrets, hideSecrets, newSecrets, storedSecrets } from '../secrets/hide-secrets.ts'
import { readSecrets } from '../secrets/stored-secrets.ts'
import { textOf } from '../text-of.ts'
import { parseServers } from './parse-servers.ts'

/** The entry of a server as its file has it, without secrets, and the digest of that file. */
export interface ShownEntry {
  readonly entry: JsonObject
  readonly digest: string
}

export interface EntryChange {
  readonly file: string
  readonly name: string
  /** The data folder, where secrets are stored. */
  readonly home: string
  readonly by: string
  readonly reason: string
  /** The digest of the file that the change is based on; undefined for any. */
  readonly expected?: string | undefined
  /** Returns the entry as it will be; `[redacted]` stands for what was there. */
  readonly edit: (shown: JsonObject) => JsonObject
}

export function readEntry(file: string, name: string): ShownEntry {
  const text = textOf(file)
  return { entry: hideFields(entryIn(text, file, name)), digest: digestOf(text) }
}

/**
 * Changes what differs in the entry of a server, and keeps comments and layout. Secrets that are new in
 * it are stored elsewhere, as when a server is added. Throws if the entry would have mistakes.
 */
export async function changeEntry(
  place: Workspace,
  { file, name, home, by, reason, expected, edit }: EntryChange,
): Promise<ChangedFile> {
  return changeFile(place, {
    file,
    by,
    reason,
    expected,
    also: movedSecrets(home, place),
    edit(text) {
      const before = entryIn(text, file, name)
      const wanted = restored(edit(hideFields(before)), before)
      const secrets = storedSecrets(home, place.env)
      const hidden = hideSecrets(name, isObject(wanted) ? wanted : {}, secrets, place.env)
      // What was there already stays where it was.
      const entry = keeping(before, wanted, hidden)
      mustBeValid(name, entry, { file, place, home, secrets })
      const after = withChanges(text, ['mcpServers', name], before, entry)
      appendSecrets(home, place.env, newSecrets(home, place.env, secretsIn(entry, secrets)))
      return after
    },
  })
}

function entryIn(text: string, file: string, name: string): JsonObject {
  const content = parseJson(text)
  const entries = isObject(content) ? content['mcpServers'] : undefined
  const entry = isObject(entries) && Object.hasOwn(entries, name) ? entries[name] : undefined
  if (isObject(entry)) return entry
  throw new GatewayError('SERVER_NOT_FOUND', `${file} has no entry of a server '${name}'`)
}

/** Puts the values back that were hidden; one that was edited around a hidden part is refused. */
function restored(wanted: unknown, before: unknown, name = ''): unknown {
  if (typeof wanted === 'string' && wanted.includes(HIDDEN)) {
    if (typeof before === 'string' && hideFields(before, name) === wanted) return before
    throw new GatewayError('INVALID_PARAMS', `A value has ${HIDDEN} in it, which is not its text`, {
      hint: 'Leave the whole value as it was shown, or type the whole value again.',
    })
  }
  if (Array.isArray(wanted)) {
    const old: readonly unknown[] = Array.isArray(before) ? before : []
    // Items may have moved.
    return wanted.map((item, n) => restored(item, hiddenAs(item, old, name) ?? old[n], name))
  }
  if (!isObject(wanted)) return wanted
  const old = isObject(before) ? before : {}
  return Object.fromEntries(
    Object.entries(wanted).map(([key, value]) => [key, restored(value, old[key], key)]),
  )
}

function hiddenAs(item: unknown, old: readonly unknown[], name: string): unknown {
  return old.find((one) => typeof one === 'string' && hideFields(one, name) === item)
}

/** Takes the value of `hidden` only where `wanted` differs from what was there. */
function keeping(before: unknown, wanted: unknown, hidden: unknown): JsonObject
function keeping(before: unknown, wanted: unknown, hidden: unknown): unknown {
  if (isDeepStrictEqual(before, wanted)) return wanted
  if (!isObject(wanted) || !isObject(hidden)) return hidden
  const old = isObject(before) ? before : {}
  return Object.fromEntries(
    Object.entries(wanted).map(([key, value]) => [key, keeping(old[key], value, hidden[key])]),
  )
}

/** The secrets that an entry refers to. */
function secretsIn(entry: JsonObject, secrets: ReadonlyMap<string, string>): Map<string, string> {
  const text = JSON.stringify(entry)
  return new Map([...secrets].filter(([name]) => text.includes(`\${${name}}`)))
}

interface Checking {
  readonly file: string
  readonly place: Workspace
  readonly home: string
  readonly secrets: ReadonlyMap<string, string>
}

function mustBeValid(name: string, entry: JsonObject, { file, place, home, secrets }: Checking) {
  const env = { ...readSecrets(home, place.env), ...Object.fromEntries(secrets), ...place.env }
  const { problems } = parseServers({ mcpServers: { [name]: entry } }, file, env)
  const [problem] = problems
  if (problem)
    throw new GatewayError('INVALID_PARAMS', describeProblem({ ...problem, file: '' }), {
      hint: 'Nothing was saved.',
    })
}

/** Sets what differs, at the deepest place where it does. */
function withChanges(text: string, at: JsonPath, before: unknown, after: unknown): string {
  if (isDeepStrictEqual(before, after)) return text
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return after.reduce<string>(
      (now, item, n) => withChanges(now, [...at, n], before[n], item),
      text,
    )
  if (!isObject(before) || !isObject(after)) return editJson(text, at, after)
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.reduce((now, key) => withChanges(now, [...at, key], before[key], after[key]), text)
}
