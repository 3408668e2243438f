import type { ChunkFacts } from '../store/chunk-filter.ts'
import type { Candidates } from '../store/knowledge-store.ts'
import { sectionName } from '../documents/clause-number.ts'
import type { QueryIntent } from './query-intent.ts'

export interface RankedHit {
  readonly id: string
  /** 0..1. */
  readonly score: number
  readonly match: 'words' | 'meaning' | 'both' | 'clause'
}

export interface RankOptions {
  /** The weight of meaning relative to words, 0..1, if there are vectors. */
  readonly denseWeight: number
  readonly intent: QueryIntent
  readonly facts: (id: string) => ChunkFacts | undefined
}

const TIERS: Readonly<Record<string, number>> = { tier1: 1.06, tier2: 1.03, tier3: 1 }
const CLAUSE_SCORE = 0.95
const DEFINED_SCORE = 0.9
const COHERENCE = 0.3
/** The number of top passages that count towards their document. */
const COHERENT = 30
const SATURATION = 0.8

/** The evidence for a passage, by words and by meaning, each 0..1. */
export interface Evidence extends Pick<RankedHit, 'id' | 'match'> {
  readonly words: number
  readonly meaning: number
  /** A factor for its place in the document; 1 is neutral. */
  readonly factor: number
}

/** Returns the evidence that the indexes have for each candidate. */
export function evidenceOf(
  { lexical, dense, closeness }: Candidates,
  facts: RankOptions['facts'],
): Evidence[] {
  const words = new Map(lexical.map(({ id, score }) => [id, score]))
  const near = new Set(dense.map(({ id }) => id))
  const coherence = documentCoherence(lexical, facts)
  return [...new Set([...words.keys(), ...near])].map((id) => ({
    id,
    words: (words.get(id) ?? 0) * coherence(id),
    meaning: closeness.get(id) ?? 0,
    factor: 1,
    match: !near.has(id) ? 'words' : words.has(id) ? 'both' : 'meaning',
  }))
}

export function combined({ words, meaning, factor }: Evidence, denseWeight: number): number {
  return Math.min(1, factor * (denseWeight * meaning + (1 - denseWeight) * words))
}

/** Ranks hits by words and meaning, adjusted by the kind of each chunk. */
export function rank<Hit extends Evidence>(
  hits: readonly Hit[],
  options: RankOptions,
): (Hit & RankedHit)[] {
  const ranked = hits
    .map((hit) => ({ ...hit, ...adjusted(hit, combined(hit, options.denseWeight), options) }))
    .toSorted(byScore)
  return spread(ranked, options).toSorted(byScore)
}

function byScore(a: RankedHit, b: RankedHit): number {
  return b.score - a.score || (a.id < b.id ? -1 : 1)
}

/** Lowers the score of each further chunk of the same section, to leave room for other sections. */
function spread<Hit extends RankedHit>(ranked: readonly Hit[], { facts }: RankOptions): Hit[] {
  const seen = new Map<string, number>()
  return ranked.map((hit) => {
    const known = facts(hit.id)
    const section = `${known?.source.id}/${known?.clauses.at(-1) ?? known?.sectionTitle}`
    const before = seen.get(section) ?? 0
    seen.set(section, before + 1)
    return before === 0 || hit.match === 'clause'
      ? hit
      : { ...hit, score: hit.score * SATURATION ** before }
  })
}

function adjusted(
  { id, match }: Evidence,
  score: number,
  { intent, facts }: RankOptions,
): Pick<RankedHit, 'score' | 'match'> {
  const known = facts(id)
  if (!known) return { score, match }
  if (known.clauses.some((clause) => intent.clauses.includes(clause)))
    return { score: Math.min(1, CLAUSE_SCORE + score * 0.05), match: 'clause' }
  let factor = TIERS[known.source.authorityTier] ?? 1
  // Tables of contents and bibliographies mention every topic but explain none.
  if (known.chunkType === 'reference') factor *= 0.5
  if (intent.term !== undefined && known.chunkType === 'definition') {
    if (defines(known, intent.term))
      return { score: DEFINED_SCORE + (1 - DEFINED_SCORE) * score, match }
    factor *= 1.15
  }
  return { score: Math.min(1, score * factor), match }
}

function defines({ sectionTitle }: ChunkFacts, term: string): boolean {
  return sectionTitle.split('\n').some((title) => sectionName(title).toLowerCase() === term)
}

/** Favours documents with several good passages; passages of others lose up to a quarter. */
function documentCoherence(
  lexical: Candidates['lexical'],
  facts: RankOptions['facts'],
): (id: string) => number {
  const sums = new Map<string, number>()
  for (const { id, score } of lexical.slice(0, COHERENT)) {
    const source = facts(id)?.source.id ?? ''
    sums.set(source, (sums.get(source) ?? 0) + score ** 2)
  }
  const most = Math.max(...sums.values())
  const full = 1 + COHERENCE
  return (id) => (1 + (COHERENCE * (sums.get(facts(id)?.source.id ?? '') ?? 0)) / most) / full
}
