import { isObject } from '../../base/json/json.ts'
import type { Catalog } from '../catalog.ts'
import type { Tool } from '../upstream.ts'

/** The effects of tools, as agents, people and rules name them. */
export const EFFECTS = ['read', 'write', 'delete'] as const
export type Effect = (typeof EFFECTS)[number]

/** Words that mean deletion in any name. */
const DELETES = new Set(
  'delete deletes remove removes destroy purge truncate wipe erase uninstall revoke unpublish'.split(
    ' ',
  ),
)
/** Words that mean deletion only in the name of a tool that calls itself destructive. */
const MAY_DELETE = new Set(
  'clear reset kill terminate prune flush expire overwrite discard'.split(' '),
)
/** Things that are dropped for good; files are dropped on web pages too. */
const DROPPED = new Set(
  'table database db collection index schema column view user role keyspace bucket stream topic queue'.split(
    ' ',
  ),
)
const READS = new Set(
  'get list search find read fetch describe show view lookup query count check inspect resolve browse preview explain whoami status'.split(
    ' ',
  ),
)
const CHANGES = new Set(
  'create add update set write edit insert upsert put post patch send move rename save upload run execute start stop merge commit push'.split(
    ' ',
  ),
)

/** Words that add a second action to a name, as in `search_and_replace`. */
const JOINS = new Set(['and', 'or'])

/**
 * Returns the effect of a tool by the configuration, else by its annotations and its name. Many servers mark everything that
 * is not read-only as destructive, so the mark alone does not mean deletion; and many mark nothing.
 */
export function effectOf(tool: Pick<Tool, 'name' | 'definition' | 'effect'>): Effect {
  return knownEffect(tool) ?? 'write'
}

/** Returns undefined if nothing tells the effect. */
export function knownEffect({
  name,
  definition,
  effect,
}: Pick<Tool, 'name' | 'definition' | 'effect'>): Effect | undefined {
  if (effect !== undefined) return effect
  const { annotations } = definition
  const hints = isObject(annotations) ? annotations : {}
  if (hints['readOnlyHint'] === true) return 'read'
  const words = wordsOf(name)
  const isDeletion = (word: string, place: number) =>
    DELETES.has(word) ||
    (word === 'drop' && DROPPED.has(words[place + 1]?.replace(/s$/, '') ?? '')) ||
    (hints['destructiveHint'] === true && MAY_DELETE.has(word))
  if (words.some(isDeletion)) return 'delete'
  const says = hints['readOnlyHint'] !== undefined || hints['destructiveHint'] !== undefined
  if (says || words.some((word) => CHANGES.has(word))) return 'write'
  const reads = words.some((word) => READS.has(word)) && !words.some((word) => JOINS.has(word))
  return reads ? 'read' : undefined
}

/** Returns the effect of a tool by its listing, or by its name alone if it is not listed. */
export function effectsIn(
  catalog: Pick<Catalog, 'tool'>,
): (server: string, name: string) => Effect {
  return (server, name) => effectOf(catalog.tool(server, name) ?? { name, definition: {} })
}

/** Whether the name of a tool begins with a word for reading. */
export function startsAsRead(name: string): boolean {
  return READS.has(wordsOf(name)[0] ?? '')
}

/** Splits `API-delete-a-block`, `dropIndex` and `drop_index` into words. */
export function wordsOf(name: string): string[] {
  return name
    .slice(0, 200)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
}
