import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { editJson } from '../../../base/json/edit-json.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { replaceFile } from '../../../base/files/replace-file.ts'
import { shellWord } from '../../../base/text/shell-word.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import { movedSecrets } from '../../history/config-files.ts'
import { recordChanges } from '../../history/record-changes.ts'
import { lockFileOf } from '../../lock/lock-file.ts'
import { type AcceptedServer, lockedText } from '../../lock/write-locked.ts'
import { parseJson } from '../../parse-text.ts'
import { FILE_NAMES, type Workspace } from '../../paths.ts'
import { describeProblem } from '../../problem.ts'
import { appendSecrets } from '../../secrets/hide-secrets.ts'
import { readSecrets } from '../../secrets/stored-secrets.ts'
import { textOf } from '../../text-of.ts'
import { trustNamed, trustWritten } from '../../trust/record-trust.ts'
import { parseServers } from '../parse-servers.ts'
import type { ServerConfig } from '../servers.ts'
import type { FilledPlan } from './server-plan.ts'

export interface SaveOptions {
  readonly place: Workspace
  /** The data folder, where secrets are stored. */
  readonly home: string
  /** The servers file. */
  readonly file: string
  readonly by: string
  /** What was listed of each server, if that is accepted; by name. */
  readonly accepted?: ReadonlyMap<string, AcceptedServer>
}

/** Returns a server as it will be once it is saved; throws if its entry has mistakes. */
export function toServerConfig(
  { name, entry, secrets }: FilledPlan,
  { place, home, file }: Pick<SaveOptions, 'place' | 'home' | 'file'>,
): ServerConfig {
  const env = { ...readSecrets(home, place.env), ...Object.fromEntries(secrets), ...place.env }
  const { servers, problems } = parseServers({ mcpServers: { [name]: entry } }, file, env)
  const [problem] = problems
  if (problem)
    throw new GatewayError('INVALID_PARAMS', describeProblem({ ...problem, file: '' }), {
      hint: 'Nothing was saved.',
    })
  const server = servers.get(name)
  if (server) return server
  throw new GatewayError('INVALID_PARAMS', `The entry of ${name} cannot be read`)
}

/** Throws if the file has a server of this name already. */
export function mustBeNew(name: string, file: string): void {
  if (!Object.hasOwn(entriesIn(file, textOf(file)), name)) return
  throw new GatewayError('INVALID_PARAMS', `${file} has a server '${name}' already`, {
    hint: `portolan server remove ${shellWord(name)}, or choose another name.`,
  })
}

/**
 * Writes new servers to their file, their secrets to the stored ones, and what was listed to the lock,
 * as one version of the configuration. A file that was trusted stays trusted.
 */
export async function saveServers(
  filled: readonly FilledPlan[],
  { place, home, file, by, accepted = new Map() }: SaveOptions,
): Promise<void> {
  const lock = lockFileOf(file)
  const names = filled.map(({ name }) => name)
  const reason = `server add ${names.join(' ')}`
  await recordChanges(
    place,
    { by, reason, files: [file, lock, ...movedSecrets(home, place)] },
    () => {
      for (const name of names) mustBeNew(name, file)
      const before = textOf(file)
      const after = filled
        .toReversed()
        .reduce((text, { name, entry }) => editJson(text, ['mcpServers', name], entry), before)
      const entries = entriesIn(file, after)
      if (!filled.every(({ name, entry }) => isDeepStrictEqual(entries[name], entry)))
        throw notEditable(file)
      // First, as a running gateway loads the entry at once.
      appendSecrets(home, place.env, new Map(filled.flatMap(({ secrets }) => [...secrets])))
      if (accepted.size > 0) {
        const locked = lockedText(textOf(lock), { path: lock, entries, accepted })
        replaceFile(lock, locked)
      }
      replaceFile(file, after, 0o600)
      if (basename(file) === FILE_NAMES.mcp && trustWritten(place, file, { before, after }))
        trustNamed(place, file, lock)
    },
  )
}

function entriesIn(file: string, text: string): JsonObject {
  try {
    const content = text.trim() === '' ? {} : parseJson(text)
    const entries = isObject(content) ? (content['mcpServers'] ?? {}) : undefined
    if (isObject(entries)) return entries
  } catch (cause) {
    throw notEditable(file, cause)
  }
  throw notEditable(file)
}

function notEditable(file: string, cause?: unknown): GatewayError {
  const why = cause instanceof Error ? cause.message : 'has no object "mcpServers"'
  return new GatewayError('INVALID_PARAMS', `${file} ${why}`, {
    hint: 'Correct it first: portolan check. Nothing was saved.',
    cause,
  })
}
