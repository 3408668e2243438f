import type { JsonObject } from '../../base/json/json.ts'
import type { DefinitionChange, Listing, Tool } from '../../gateway/upstream.ts'
import {
  ACCEPTED_LISTS,
  type AcceptedList,
  type AcceptedLists,
} from '../../gateway/tools/accepted.ts'
import type { AcceptedRecord, HeldChange } from './accepted-record.ts'
import { HIDDEN_TEXT } from '../listing/check-list.ts'
import {
  type Change,
  type FindSuspects,
  type Hold,
  type SuspectText,
  classify,
  suspectsOfNew,
} from './classify.ts'
import { type ToolKind, kindsIn } from './kinds-of-tool.ts'
import { acceptedFields, digestOf, toAccepted, withAcceptedTexts } from './definition.ts'

/** What listings of a server are compared with. */
export interface Baseline {
  readonly record: AcceptedRecord
  /** What `mcp.lock` says, which then decides instead of the record. */
  readonly locked?: AcceptedLists | undefined
  /** Why nothing of the server is used, if the lock is about another program or address. */
  readonly wrongDestination?: string | undefined
  readonly suspectsAmong: SuspectsAmong
}

/** Returns what finds suspects in a listing that has tools of these names. */
export type SuspectsAmong = (tools: readonly string[]) => FindSuspects

export interface DriftResult {
  /** The listing as agents get it. */
  readonly listing: Listing
  readonly record: AcceptedRecord
  /** What was not known before, to be reported. */
  readonly fresh: readonly DefinitionChange[]
}

/** More than any server lists; the oldest are reported again. */
const MAX_KNOWN = 5_000

export interface Entry {
  readonly list: AcceptedList
  readonly name: string
  readonly definition: JsonObject
}

/** What agents get instead of a definition: undefined for nothing. */
type Replaced = ReadonlyMap<AcceptedList, Map<string, JsonObject | undefined>>

/**
 * Applies to a listing what was accepted of its server: what has changed materially is held, the rest
 * applies. What is listed first over a kind of connection is accepted, as nobody had other before.
 */
export function applyDrift(listing: Listing, baseline: Baseline, at = Date.now()): DriftResult {
  const { record } = baseline
  const entries = entriesOf(listing)
  const round = roundOf(listing, baseline)
  const outcome: Outcome = {
    held: [],
    changes: [],
    fresh: [],
    known: new Set(record.known),
    accepted: [],
    replaced: new Map(ACCEPTED_LISTS.map((list) => [list, new Map()])),
  }
  for (const entry of entries) {
    const judged = { ...entry, digest: digestOf(entry.definition) }
    const change = changeOf(judged, round)
    if (change?.hold) hold(judged, { ...change, hold: change.hold }, { round, outcome, at })
    else apply(judged, change, { round, outcome })
  }
  const { fresh, replaced, changes } = outcome
  const shown = toShown(listing, replaced, changes)
  return { fresh, listing: shown, record: round.isDecided ? nextRecord(round, outcome) : record }
}

/** What holds for all definitions of one listing. */
interface Round extends Baseline {
  readonly findSuspects: FindSuspects
  /** What the accepted tools do. */
  readonly known: ReadonlySet<ToolKind>
  readonly variant: string | undefined
  readonly base: AcceptedLists
  /** Whether nothing of the server was accepted before. */
  readonly isNew: boolean
  /** Whether it is the first listing of this kind of connection. */
  readonly isFirst: boolean
  /** Of what only some people have, nothing is decided before their own listing is. */
  readonly isDecided: boolean
  readonly quarantine: string | undefined
  /** The changes that are held already, by digest. */
  readonly before: ReadonlyMap<string, HeldChange>
}

interface Outcome {
  readonly held: HeldChange[]
  readonly changes: DefinitionChange[]
  readonly fresh: DefinitionChange[]
  readonly known: Set<string>
  readonly accepted: Entry[]
  readonly replaced: Replaced
}

interface JudgedEntry extends Entry {
  readonly digest: string
}

function roundOf(listing: Listing, baseline: Baseline): Round {
  const { record, locked, suspectsAmong } = baseline
  const { variant, isRemembered } = listing
  const own = listing.tools.map(({ name }) => name)
  const findSuspects = suspectsAmong(own)
  const isNew = !locked && record.variants.length === 0
  const isOther = !locked && variant !== undefined && !record.variants.includes(variant)
  const suspect = isNew && !isRemembered ? whyQuarantined(listing, suspectsAmong) : undefined
  return {
    ...baseline,
    findSuspects,
    known: kindsIn(locked ?? record.accepted),
    variant,
    base: locked ?? record.accepted,
    isNew,
    isFirst: isNew || isOther,
    isDecided: isNew || variant !== undefined,
    quarantine: record.quarantine ?? suspect,
    before: new Map(record.held.map((one) => [one.digest, one])),
  }
}

function changeOf(entry: JudgedEntry, round: Round): Change | undefined {
  const { list, name, definition, digest } = entry
  const { base, locked, before, wrongDestination, quarantine } = round
  const accepted = base[list][name]
  if (wrongDestination !== undefined) return hidden(wrongDestination)
  if (accepted?.digest === digest) return undefined
  const decided = before.get(digest)
  if (decided?.rejected) return { ...decided, class: 'material' }
  if (!locked && quarantine !== undefined)
    return hidden(quarantine, suspectsOfNew(definition, round.findSuspects)?.reasons)
  if (!accepted && round.isFirst) return firstSeen(definition, round)
  const pair = { accepted: accepted?.definition, now: definition, known: round.known }
  return classify(list, pair, round.findSuspects)
}

/** What a server shows only over another kind of connection was not scanned with the rest. */
function firstSeen(definition: JsonObject, { findSuspects, isNew }: Round): Change | undefined {
  const change = suspectsOfNew(definition, findSuspects)
  return change && isNew ? { class: 'compatible', reasons: change.reasons } : change
}

interface Step {
  readonly round: Round
  readonly outcome: Outcome
}

function hold(
  { list, name, definition, digest }: JudgedEntry,
  change: Change & { readonly hold: Hold },
  { round, outcome, at }: Step & { readonly at: number },
): void {
  const accepted = round.base[list][name]?.definition
  const texts = change.hold === 'text' ? accepted : undefined
  outcome.replaced.get(list)?.set(name, texts && withAcceptedTexts(definition, texts))
  if (!round.isDecided && !accepted) return
  const before = round.before.get(digest)
  const waiting = before ?? {
    list,
    name,
    digest,
    definition: acceptedFields(definition),
    reasons: [...change.reasons],
    hold: change.hold,
    since: at,
    variant: round.variant ?? '',
  }
  outcome.held.push(waiting)
  const { since, rejected = false } = waiting
  const told = { ...toChange(list, name, change), held: { since, hold: change.hold, rejected } }
  outcome.changes.push(told)
  if (!before && round.isDecided) outcome.fresh.push(told)
}

function apply(entry: JudgedEntry, change: Change | undefined, { round, outcome }: Step): void {
  const { list, name, digest } = entry
  const told = change && toChange(list, name, change)
  if (told) outcome.changes.push(told)
  if (!round.isDecided) return
  // A definition that another kind of connection has is not accepted again with each listing.
  const isKnown = outcome.known.has(digest)
  if (!isKnown || (round.isFirst && !round.record.accepted[list][name]))
    outcome.accepted.push(entry)
  if (told && !isKnown && !round.before.has(digest)) outcome.fresh.push(told)
  outcome.known.add(digest)
}

function nextRecord(round: Round, { held, accepted, known }: Outcome): AcceptedRecord {
  const { record, variant, isFirst, quarantine } = round
  const waits = new Set(held.map(({ digest }) => digest))
  const others = record.held.filter(
    (one) => !waits.has(one.digest) && (one.rejected || one.variant !== variant),
  )
  return {
    ...record,
    accepted: withAccepted(record.accepted, accepted),
    known: [...known].slice(-MAX_KNOWN),
    held: [...others, ...held],
    variants: isFirst ? [...record.variants, variant ?? ''] : record.variants,
    ...(quarantine !== undefined && { quarantine }),
  }
}

/** Adds definitions to what was accepted. */
export function withAccepted(lists: AcceptedLists, entries: readonly Entry[]): AcceptedLists {
  const next = { ...lists }
  for (const list of ACCEPTED_LISTS) {
    const added = entries.filter((entry) => entry.list === list)
    if (added.length === 0) continue
    const byName = added.map(({ name, definition }) => [name, toAccepted(definition)] as const)
    next[list] = { ...next[list], ...Object.fromEntries(byName) }
  }
  return next
}

function hidden(reason: string, more: readonly string[] = []): Change {
  return { class: 'material', hold: 'definition', reasons: [reason, ...more] }
}

/** A suspect text, and the definition that it is in. */
export interface NamedSuspect extends SuspectText {
  readonly name: string
}

/** Finds what is suspect in all that a server lists, which includes text that is left out of it. */
export function suspectsIn(listing: Listing, suspectsAmong: SuspectsAmong): NamedSuspect[] {
  const findSuspects = suspectsAmong(listing.tools.map(({ name }) => name))
  const left = listing.leftOut?.filter(({ kind }) => kind.startsWith(HIDDEN_TEXT)) ?? []
  return [
    ...left.map(({ name, reason }): NamedSuspect => ({
      class: 'high',
      rule: 'hidden-text',
      quote: name,
      reason: `it hides text: ${reason}`,
      where: 'description',
      name,
    })),
    ...entriesOf(listing).flatMap(({ name, definition }) =>
      findSuspects(definition).map((one) => ({ ...one, name })),
    ),
  ]
}

function whyQuarantined(listing: Listing, suspectsAmong: SuspectsAmong): string | undefined {
  const worst = suspectsIn(listing, suspectsAmong).find((one) => one.class === 'high')
  return (
    worst &&
    `the server is new, and text of ${worst.name || 'its instructions'} is suspect: ${worst.reason} ("${worst.quote}")`
  )
}

export const KINDS: Readonly<Record<AcceptedList, string>> = {
  tools: 'tool',
  prompts: 'prompt',
  resourceTemplates: 'resource template',
  instructions: 'instructions',
}

function toChange(list: AcceptedList, name: string, change: Change): DefinitionChange {
  return { kind: KINDS[list], name, class: change.class, reasons: change.reasons }
}

/** Returns everything of a listing that is accepted by its name. */
export function entriesOf({ tools, prompts, resourceTemplates, instructions }: Listing): Entry[] {
  return [
    ...tools.map(({ name, definition }) => ({ list: 'tools' as const, name, definition })),
    ...prompts.map((one) => ({
      list: 'prompts' as const,
      name: String(one['name']),
      definition: one,
    })),
    ...resourceTemplates.map((one) => ({
      list: 'resourceTemplates' as const,
      name: String(one['uriTemplate']),
      definition: one,
    })),
    ...(instructions === undefined
      ? []
      : [{ list: 'instructions' as const, name: '', definition: { description: instructions } }]),
  ]
}

/** Leaves out what is hidden, and replaces what has its accepted text. */
function toShown(
  listing: Listing,
  replaced: Replaced,
  changes: readonly DefinitionChange[],
): Listing {
  const hasReplaced = [...replaced.values()].some(({ size }) => size > 0)
  if (changes.length === 0 && !hasReplaced) return listing
  const show = (
    list: AcceptedList,
    name: unknown,
    definition: JsonObject,
  ): JsonObject | undefined => {
    const ofList = replaced.get(list)
    return ofList?.has(String(name)) ? ofList.get(String(name)) : definition
  }
  const { tools, prompts, resourceTemplates, instructions } = listing
  const text =
    instructions === undefined
      ? undefined
      : show('instructions', '', { description: instructions })?.['description']
  return {
    ...listing,
    tools: tools.flatMap((tool): readonly Tool[] => {
      const definition = show('tools', tool.name, tool.definition)
      if (definition === tool.definition) return [tool]
      return definition ? [{ ...tool, definition }] : []
    }),
    prompts: prompts.flatMap((one) => listOf(show('prompts', one['name'], one))),
    resourceTemplates: resourceTemplates.flatMap((one) =>
      listOf(show('resourceTemplates', one['uriTemplate'], one)),
    ),
    instructions: typeof text === 'string' ? text : undefined,
    ...(changes.length > 0 && { drift: { changes } }),
  }
}

function listOf(definition: JsonObject | undefined): readonly JsonObject[] {
  return definition ? [definition] : []
}
