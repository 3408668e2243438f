import { clauseNumber } from '../documents/clause-number.ts'
import { markedNormative } from '../documents/normative.ts'
import { type ChunkOptions, type ChunkPart, type CountTokens, OVERLAP_MARK } from './chunk.ts'
import type { Section } from './section.ts'
import { type Unit, toUnits } from './unit.ts'

/** An unfinished chunk: text and sections, not yet classified. */
export interface Draft {
  readonly lead: string
  readonly body: string
  readonly tokens: number
  readonly sections: readonly DraftSection[]
  readonly kinds: readonly Unit['kind'][]
  readonly pages: readonly number[]
}

export interface DraftSection extends Pick<ChunkPart, 'path' | 'title' | 'clause' | 'page'> {
  /** Its offset in the body. */
  readonly start: number
  /** Whether it is only a heading, without text of its own. */
  readonly bare: boolean
  /** Whether the document says that it is not binding. */
  readonly informative: boolean
}

const SEPARATOR = '\n\n'

/**
 * Splits a section into drafts, each filled up to the target size. Each draft after the first
 * starts with an overlap, or with the header of the table that it continues.
 */
export function sectionDrafts(
  section: Section,
  options: ChunkOptions,
  count: CountTokens,
): Draft[] {
  const limit = options.maxTokens - options.overlapTokens - count(OVERLAP_MARK) - 2
  const blocks = section.heading ? [section.heading, ...section.blocks] : section.blocks
  const groups = fill(
    blocks.flatMap((block) => toUnits(block, limit, count)),
    options.targetTokens,
    limit,
  )
  let previous = ''
  return groups.map((units) => {
    const body = units.map(({ text }) => text).join(SEPARATOR)
    const lead = units[0]?.lead || overlap(previous, options.overlapTokens, count)
    previous = body
    return {
      lead,
      body,
      tokens: count(lead + body),
      sections: [describe(section, units)],
      kinds: units.map(({ kind }) => kind),
      pages: [...new Set(units.flatMap(({ pages }) => pages))],
    }
  })
}

/** Merges small drafts with the next draft, and those still small with the previous one. */
export function mergeSmall(
  drafts: readonly Draft[],
  options: ChunkOptions,
  count: CountTokens,
): Draft[] {
  const isSmall = ({ tokens }: Draft) => tokens < options.minTokens
  const forward = mergeWhere(drafts, isSmall, options, count)
  return mergeWhere(forward, (_, next) => isSmall(next), options, count)
}

function mergeWhere(
  drafts: readonly Draft[],
  isWanted: (last: Draft, next: Draft) => boolean,
  { targetTokens, maxTokens }: ChunkOptions,
  count: CountTokens,
): Draft[] {
  const merged: Draft[] = []
  for (const draft of drafts) {
    const last = merged.at(-1)
    const fits = last && isWanted(last, draft) && belongTogether(last, draft)
    const joined = fits ? join(last, draft, count) : undefined
    // A heading alone is useless as a result, so it stays with the text below it.
    const room = last?.sections.every(({ bare }) => bare) ? maxTokens : targetTokens
    if (joined && joined.tokens <= room) merged[merged.length - 1] = joined
    else merged.push(draft)
  }
  return merged
}

/** Whether one section leads into the next, or both are under the same heading and main clause. */
function belongTogether(last: Draft, next: Draft): boolean {
  const [before, after] = [last.sections.at(-1), next.sections[0]]
  if (!before || !after || next.lead) return false
  if (markedNormative(before.path) !== markedNormative(after.path)) return false
  if (before.bare && isPrefix(before.path, after.path)) return true
  if (rootClause(before) !== rootClause(after)) return false
  return isPrefix(before.path.slice(0, -1), after.path)
}

function rootClause({ clause }: DraftSection): string | undefined {
  return clause?.split('.')[0]
}

function isPrefix(path: readonly string[], longer: readonly string[]): boolean {
  return path.every((part, index) => longer[index] === part)
}

function join(last: Draft, next: Draft, count: CountTokens): Draft {
  const body = last.body + SEPARATOR + next.body
  const shift = last.body.length + SEPARATOR.length
  return {
    lead: last.lead,
    body,
    tokens: count(last.lead + body),
    sections: [
      ...last.sections,
      ...next.sections.map((section) => ({ ...section, start: section.start + shift })),
    ],
    kinds: [...last.kinds, ...next.kinds],
    pages: [...new Set([...last.pages, ...next.pages])],
  }
}

function fill(units: readonly Unit[], target: number, limit: number): Unit[][] {
  const groups: Unit[][] = []
  let used = 0
  for (const unit of units) {
    const group = groups.at(-1)
    // A heading stays with its first block as long as the two fit within the limit.
    const headed = group?.length === 1 && group[0]?.kind === 'heading'
    const room = headed ? limit : target
    if (group && !unit.lead && used + unit.tokens + 2 <= room) {
      group.push(unit)
      used += unit.tokens + 2
    } else {
      groups.push([unit])
      used = unit.tokens
    }
  }
  return joinRemainder(groups, limit)
}

/** Appends a small last group of a section to the group before it, if it fits there. */
function joinRemainder(groups: readonly Unit[][], limit: number): Unit[][] {
  const [last, rest] = [groups.at(-2), groups.at(-1)]
  const small = rest && tokensOf(rest) < limit / 8 && !rest[0]?.lead
  if (!last || !small || tokensOf(last) + tokensOf(rest) > limit) return [...groups]
  return [...groups.slice(0, -2), [...last, ...rest]]
}

function tokensOf(units: readonly Unit[]): number {
  return units.reduce((sum, unit) => sum + unit.tokens + 2, 0)
}

/** Returns the last words of the previous text, at most `tokens` tokens. */
function overlap(previous: string, tokens: number, count: CountTokens): string {
  if (!previous || tokens === 0) return ''
  // A window that surely holds enough tokens is cut into words; counting all the text is wasteful.
  const words = previous
    .slice(-tokens * 8)
    .split(/(?<=\s)(?=\S)/)
    .slice(1)
  let [low, high] = [0, words.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (count(words.slice(middle).join('')) <= tokens) high = middle
    else low = middle + 1
  }
  const tail = words.slice(low).join('').trim()
  return tail ? tail + OVERLAP_MARK : ''
}

function describe(section: Section, units: readonly Unit[]): DraftSection {
  const title = section.path.at(-1) ?? ''
  return {
    start: 0,
    path: section.path,
    title,
    clause: clauseNumber(title) ?? section.clause,
    page: units[0]?.pages[0] ?? null,
    bare: units.every(({ kind }) => kind === 'heading'),
    informative: section.informative,
  }
}
