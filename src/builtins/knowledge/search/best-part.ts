import type { ChunkPart } from '../chunks/chunk.ts'
import { type ChunkFilter, acceptsPart } from '../store/chunk-filter.ts'
import type { StoredChunk } from '../store/stored-chunk.ts'
import { type Evidence, combined } from './rank.ts'
import type { WordFit } from './word-fit.ts'

export interface PartChoice {
  readonly clauses: readonly string[]
  readonly filter: ChunkFilter
  readonly denseWeight: number
  readonly fit: WordFit
  /** How close each part comes by meaning; empty where nothing is known of it. */
  readonly closeness: (chunk: StoredChunk) => readonly number[]
}

/**
 * Shares and factors found on half of the questions of `bench:knowledge` and `bench:questions`, and
 * checked on the other half.
 */
const FIT_SHARE = 0.27
/** Where there is no meaning, which sees headings for itself. */
const HEADING_SHARE = 0.15
/** A clause further down says something more special, and the text under a heading says it first. */
const PER_LEVEL = 0.04
const DEEPEST = 4
const USUAL_LEVEL = 3
const OPENING = 1.05

export interface PartEvidence extends Evidence {
  readonly part: ChunkPart | undefined
}

/** What speaks for the section of a passage that answers best. */
export function bestPart(
  hit: Evidence,
  chunk: StoredChunk,
  { clauses, filter, denseWeight, fit, closeness }: PartChoice,
): PartEvidence {
  const { parts } = chunk
  const near = closeness(chunk)
  const heading = denseWeight === 0 ? HEADING_SHARE : 0
  const words = (text: string) => (1 - FIT_SHARE) * hit.words + FIT_SHARE * fit.inText(text)
  const every = parts.map((part, at): PartEvidence => {
    const text = textOf(chunk, at)
    return {
      ...hit,
      part,
      words: (1 - heading) * words(text) + heading * fit.inHeading(part.title),
      meaning: near[at] ?? hit.meaning,
      factor: levelFactor(part, chunk) * (opens(part, text) ? OPENING : 1),
    }
  })
  const named = every.filter(({ part }) => part?.clause && clauses.includes(part.clause))
  const wanted = every.filter(
    ({ part }, at) => part && acceptsPart(filter, part) && !isBare(part, textOf(chunk, at)),
  )
  const [candidates = every] = [named, wanted].filter(({ length }) => length > 0)
  const score = (one: Evidence) => combined(one, denseWeight)
  const [first = { ...hit, part: undefined }, ...others] = candidates
  return others.reduce((best, one) => (score(one) > score(best) ? one : best), first)
}

function textOf({ content, leadLength, parts }: StoredChunk, at: number): string {
  return content.slice(Math.max(parts[at]?.offset ?? 0, leadLength), parts[at + 1]?.offset)
}

/** A heading with nothing under it only leads to the next. */
function isBare({ title }: ChunkPart, text: string): boolean {
  return text.trim() === title.trim()
}

function opens({ title }: ChunkPart, text: string): boolean {
  return title !== '' && text.trimStart().startsWith(title)
}

function levelFactor({ clause }: ChunkPart, { sectionPath }: StoredChunk): number {
  const level = clause === null ? sectionPath.length : clause.split('.').length
  return 1 + PER_LEVEL * (Math.min(level, DEEPEST) - USUAL_LEVEL)
}
