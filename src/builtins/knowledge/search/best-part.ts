import type { ChunkPart } from '../chunks/chunk.ts'
import { type ChunkFilter, acceptsPart } from '../store/chunk-filter.ts'
import type { StoredChunk } from '../store/stored-chunk.ts'
import type { QuestionMeaning, SectionMeaning } from '../store/window-meaning.ts'
import { type Evidence, combined } from './rank.ts'
import type { WordFit } from './word-fit.ts'

export interface PartChoice {
  readonly clauses: readonly string[]
  readonly filter: ChunkFilter
  readonly denseWeight: number
  readonly fit: WordFit
  /** Rates each part by meaning; undefined if only the whole passage can be rated. */
  readonly meaning: Pick<QuestionMeaning, 'sections'> | undefined
}

/**
 * Shares and factors tuned on the questions of the benches `knowledge` and `questions`, except half
 * of the latter's sixty, which verify them.
 */
const FIT_SHARE = 0.27
/** Used if the model also compares single words of the question with those of the text. */
const SAID_SHARE = 0.36
/** Used only without vectors, because the closeness by meaning already includes headings. */
const HEADING_SHARE = 0.15
/** A deeper clause is more specific, and the text directly below a heading is the most relevant. */
const PER_LEVEL = 0.04
const MAX_LEVEL = 4
const USUAL_LEVEL = 3
const OPENING = 1.05

export interface PartEvidence extends Evidence {
  readonly part: ChunkPart | undefined
}

/** Returns the evidence for the section of a passage that answers best. */
export function bestPart(
  hit: Evidence,
  chunk: StoredChunk,
  { clauses, filter, denseWeight, fit, meaning }: PartChoice,
): PartEvidence {
  const { parts } = chunk
  const near = meaning?.sections(chunk)
  const heading = denseWeight === 0 ? HEADING_SHARE : 0
  const words = (text: string) => (1 - FIT_SHARE) * hit.words + FIT_SHARE * fit.inText(text)
  const every = parts.map((part, at): PartEvidence => {
    const text = textOf(chunk, at)
    return {
      ...hit,
      part,
      words: withSaid(
        (1 - heading) * words(text) + heading * fit.inHeading(part.title),
        near?.[at],
      ),
      meaning: near?.[at]?.closeness ?? hit.meaning,
      factor: levelFactor(part) * (opens(part, text) ? OPENING : 1),
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

/** Combines the score for exact words with the score for words of similar meaning. */
function withSaid(words: number, section: SectionMeaning | undefined): number {
  // Any two words are slightly similar, so this alone is not evidence.
  if (section?.said === undefined || (words === 0 && section.closeness === 0)) return words
  return (1 - SAID_SHARE) * words + SAID_SHARE * section.said
}

function textOf({ content, leadLength, parts }: StoredChunk, at: number): string {
  return content.slice(Math.max(parts[at]?.offset ?? 0, leadLength), parts[at + 1]?.offset)
}

/** Whether a section is only a heading, without text below it. */
function isBare({ title }: ChunkPart, text: string): boolean {
  return text.trim() === title.trim()
}

function opens({ title }: ChunkPart, text: string): boolean {
  return title !== '' && text.trimStart().startsWith(title)
}

function levelFactor({ clause, path }: ChunkPart): number {
  const level = clause === null ? path.length : clause.split('.').length
  return 1 + PER_LEVEL * (Math.min(level, MAX_LEVEL) - USUAL_LEVEL)
}
