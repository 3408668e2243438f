import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import { canonicalJson } from '../../base/json/json.ts'
import { lineDiff } from '../../base/text/line-diff.ts'
import { ACCEPTED_LISTS, type AcceptedLists } from '../../gateway/tools/accepted.ts'
import type { Listing } from '../../gateway/upstream.ts'
import { KINDS, entriesOf, withAccepted } from '../../upstreams/drift/apply-drift.ts'
import type { ChangeClass } from '../../upstreams/drift/compare-values.ts'
import { kindsIn } from '../../upstreams/drift/kinds-of-tool.ts'
import { type FindSuspects, classify } from '../../upstreams/drift/classify.ts'
import { NOTHING_ACCEPTED } from '../../gateway/tools/accepted.ts'

/** One difference between what is locked and what a server lists. */
export interface ListChange {
  readonly kind: string
  readonly name: string
  readonly class: ChangeClass | 'gone'
  readonly reasons: readonly string[]
  readonly diff: readonly string[]
}

/** Returns everything that a server lists, as accepted. */
export function acceptedOf(listing: Listing): AcceptedLists {
  return withAccepted(NOTHING_ACCEPTED, entriesOf(listing))
}

export function compareLists(
  before: AcceptedLists,
  now: AcceptedLists,
  findSuspects: FindSuspects,
): ListChange[] {
  const known = kindsIn(before)
  return ACCEPTED_LISTS.flatMap((list) =>
    [...new Set([...Object.keys(before[list]), ...Object.keys(now[list])])].flatMap((name) => {
      const [was, is] = [before[list][name]?.definition, now[list][name]?.definition]
      const told = { kind: KINDS[list], name, diff: definitionDiff(was, is) }
      if (!is) return { ...told, class: 'gone' as const, reasons: ['it is no longer listed'] }
      const change = classify(list, { accepted: was, now: is, known }, findSuspects)
      return change ? { ...told, class: change.class, reasons: change.reasons } : []
    }),
  )
}

/** Returns the changed lines of a definition, in an order that does not depend on the server. */
export function definitionDiff(before: object | undefined, after: object | undefined): string[] {
  return lineDiff(linesOf(before), linesOf(after))
}

function linesOf(definition: object | undefined): string {
  if (!definition) return ''
  return stringifyExact(parseExact(canonicalJson(definition)), undefined, 2) ?? ''
}
