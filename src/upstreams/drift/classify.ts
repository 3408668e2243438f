import { type JsonObject, isObject } from '../../base/json/json.ts'
import { EFFECTS, effectOf, knownEffect, startsAsRead } from '../../gateway/tools/effect.ts'
import type { AcceptedList } from '../../gateway/tools/accepted.ts'
import { type ChangeClass, type Difference, compareValues } from './compare-values.ts'
import { acceptedFields, digestOf, isText } from './definition.ts'
import { DOES, type ToolKind, kindsOf } from './kinds-of-tool.ts'

/** A text that addresses the model, or hides. */
export interface SuspectText {
  readonly class: 'high' | 'medium' | 'low'
  readonly rule: string
  readonly quote: string
  readonly reason: string
  /** The path of the text in the definition. */
  readonly where: string
}

/** Finds text in a definition that addresses the model, or imitates another server. */
export type FindSuspects = (definition: JsonObject) => readonly SuspectText[]

/** What agents get instead of what is held: the accepted texts, or nothing of it. */
export type Hold = 'text' | 'definition'

/** What has changed in a definition since it was accepted. */
export interface Change {
  readonly class: ChangeClass
  /** Set if it is material. */
  readonly hold?: Hold
  /** Why it has this class, as sentences. */
  readonly reasons: readonly string[]
}

/** A definition beside what was accepted under its name. */
export interface ChangedDefinition {
  readonly accepted: JsonObject | undefined
  readonly now: JsonObject
  /** What the accepted tools of its server do. */
  readonly known?: ReadonlySet<ToolKind>
}

const CLASSES: readonly ChangeClass[] = ['cosmetic', 'compatible', 'material']

/**
 * Classifies what has changed since a definition was accepted; undefined if nothing has. A
 * definition that was not there is one of something new.
 *
 * @example
 * ```ts
 * classify('tools', { accepted: undefined, now: { name: 'delete_all' } }, () => [])
 * // { class: 'material', hold: 'definition', reasons: ['it is a new tool that deletes'] }
 * ```
 */
export function classify(
  list: AcceptedList,
  { accepted, now, known = new Set() }: ChangedDefinition,
  findSuspects: FindSuspects,
): Change | undefined {
  if (accepted && digestOf(accepted) === digestOf(now)) return undefined
  const found = newSuspects(accepted, now, findSuspects)
  const suspects = found.filter((one) => one.class === 'high')
  const differences = accepted ? differencesOf(list, accepted, now) : [ofNew(list, now, known)]
  const material = differences.filter((one) => one.class === 'material')
  const told = [
    ...(material.length > 0 ? material : suspects.length > 0 ? [] : differences).map(describe),
    ...found.map(describeSuspect),
  ]
  const reasons = [...new Set(told)]
  if (material.length === 0 && suspects.length === 0) return { class: worst(differences), reasons }
  const hasAcceptedTexts = accepted !== undefined && suspects.every(({ where }) => isText(where))
  const hold = material.length === 0 && hasAcceptedTexts ? 'text' : 'definition'
  return { class: 'material', hold, reasons }
}

/** What is to be known of a definition that a server shows for the first time. */
export function suspectsOfNew(now: JsonObject, findSuspects: FindSuspects): Change | undefined {
  const found = newSuspects(undefined, now, findSuspects)
  if (found.length === 0) return undefined
  const reasons = [...new Set(found.map(describeSuspect))]
  const isSuspect = found.some((one) => one.class === 'high')
  return isSuspect
    ? { class: 'material', hold: 'definition', reasons }
    : { class: 'compatible', reasons }
}

/** Suspect texts that nobody has accepted yet: those of the worst class hold a change. */
function newSuspects(
  accepted: JsonObject | undefined,
  now: JsonObject,
  findSuspects: FindSuspects,
): SuspectText[] {
  const known = new Set(
    (accepted ? findSuspects(accepted) : []).map(({ rule, quote }) => `${rule} ${quote}`),
  )
  return findSuspects(acceptedFields(now)).filter(
    (one) => one.class !== 'low' && !known.has(`${one.rule} ${one.quote}`),
  )
}

/** Who accepted a server that writes is not asked again for each new tool that does. */
function ofNew(list: AcceptedList, now: JsonObject, known: ReadonlySet<ToolKind>): Difference {
  if (list !== 'tools') return { class: 'compatible', where: '', what: 'is new' }
  const kinds = kindsOf(now)
  const fresh = kinds.filter((kind) => !known.has(kind))
  const told = (fresh.length > 0 ? fresh : kinds).map((kind) => DOES[kind])
  const what = `is a new tool that ${told.join(' and ') || 'reads'}`
  return { class: fresh.length > 0 ? 'material' : 'compatible', where: '', what }
}

function differencesOf(list: AcceptedList, accepted: JsonObject, now: JsonObject): Difference[] {
  const [before, after] = [acceptedFields(accepted), acceptedFields(now)]
  const { annotations: hints, ...rest } = before
  const { annotations: newHints, ...newRest } = after
  const found = compareValues(rest, newRest, '').map((one) => ({
    ...one,
    where: one.where.slice(1),
  }))
  if (list !== 'tools') return found.map(withoutHold)
  return [
    // What a tool answers is data: it asks nothing of its caller.
    ...found.map((one) => (one.where.startsWith('outputSchema') ? withoutHold(one) : one)),
    ...compareHints(toHints(hints), toHints(newHints), [accepted, now]),
  ]
}

function withoutHold(one: Difference): Difference {
  return one.class === 'material' ? { ...one, class: 'compatible' } : one
}

/** What the protocol assumes where a tool says nothing. */
const ASSUMED: JsonObject = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
}

/** Hints whose change to this value takes back a promise. */
const PROMISES = { readOnlyHint: true, destructiveHint: false } as const
const BROKEN: Readonly<Record<string, string>> = {
  readOnlyHint: 'no longer says that it only reads',
  destructiveHint: 'no longer says that it destroys nothing',
}

function compareHints(
  before: JsonObject,
  after: JsonObject,
  [accepted, now]: readonly [JsonObject, JsonObject],
): Difference[] {
  const where = 'annotations'
  const broken = Object.entries(PROMISES).filter(
    ([name, promise]) =>
      before[name] === promise &&
      (after[name] ?? ASSUMED[name]) !== promise &&
      // Many servers mark whatever writes as destructive; by its name it says more.
      !(name === 'destructiveHint' && !isWorse(accepted, now)),
  )
  const found = [
    ...broken.map(([name]) => BROKEN[name] ?? name),
    ...claimsToRead(accepted, now),
  ].map((what): Difference => ({ class: 'material', where, what }))
  if (found.length > 0) return found
  return compareValues(before, after, where).map((one) => ({
    ...one,
    class: one.class === 'material' ? 'compatible' : one.class,
  }))
}

function isWorse(accepted: JsonObject, now: JsonObject): boolean {
  const rank = (definition: JsonObject) =>
    EFFECTS.indexOf(effectOf({ name: String(now['name']), definition }))
  return rank(now) > rank(accepted)
}

/** Rules may allow what only reads, so a name that says otherwise must not become such a tool. */
function claimsToRead(accepted: JsonObject, now: JsonObject): string[] {
  const name = String(now['name'])
  const byName = knownEffect({ name, definition: {} })
  const isReader = (definition: JsonObject) => effectOf({ name, definition }) === 'read'
  if (byName === undefined || byName === 'read' || isReader(accepted) || !isReader(now)) return []
  // As in `get_merge_request`.
  if (byName === 'write' && startsAsRead(name)) return []
  return [`says that it only reads, though by its name it ${DOES[byName]}`]
}

function toHints(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

function worst(differences: readonly Difference[]): ChangeClass {
  return CLASSES.findLast((each) => differences.some((one) => one.class === each)) ?? 'cosmetic'
}

function describeSuspect({ where, reason, quote }: SuspectText): string {
  return `${where}: ${reason} ("${quote}")`
}

function describe({ where, what }: Difference): string {
  return where === '' ? `it ${what}` : `${where} ${what}`
}
