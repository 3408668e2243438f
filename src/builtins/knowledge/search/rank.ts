import type { ChunkFacts } from '../store/chunk-filter.ts'
import type { Candidates } from '../store/knowledge-store.ts'
import { sectionName } from './citation.ts'
import type { QueryIntent } from './query-intent.ts'

export interface Ranked {
  readonly id: string
  /** 0..1. */
  readonly score: number
  readonly match: 'words' | 'meaning' | 'both' | 'clause'
}

export interface RankOptions {
  /** How much the meaning counts against the words, 0..1, where there are vectors. */
  readonly denseWeight: number
  readonly intent: QueryIntent
  readonly facts: (id: string) => ChunkFacts | undefined
}

const TIERS: Readonly<Record<string, number>> = { tier1: 1.06, tier2: 1.03, tier3: 1 }
const CLAUSE_SCORE = 0.95
const DEFINED_SCORE = 0.9
const COHERENCE = 0.3
/** How many passages speak for their document. */
const COHERENT = 30
const SATURATION = 0.8

/** What counts for a passage: by its words, by its meaning, each 0..1. */
export interface Evidence extends Pick<Ranked, 'id' | 'match'> {
  readonly words: number
  readonly meaning: number
  /** What its place in the document says for or against it; 1 is neither. */
  readonly factor: number
}

/** The evidence for every candidate, as far as the indexes know it. */
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

/** Words and meaning into one order, with what the kind of each chunk says for or against it. */
export function rank<Hit extends Evidence>(
  hits: readonly Hit[],
  options: RankOptions,
): (Hit & Ranked)[] {
  const ranked = hits
    .map((hit) => ({ ...hit, ...adjusted(hit, combined(hit, options.denseWeight), options) }))
    .toSorted(byScore)
  return spread(ranked, options).toSorted(byScore)
}

function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || (a.id < b.id ? -1 : 1)
}

/** A long section is cut into many chunks: each further one gives way to other sections. */
function spread<Hit extends Ranked>(ranked: readonly Hit[], { facts }: RankOptions): Hit[] {
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
): Pick<Ranked, 'score' | 'match'> {
  const known = facts(id)
  if (!known) return { score, match }
  if (known.clauses.some((clause) => intent.clauses.includes(clause)))
    return { score: Math.min(1, CLAUSE_SCORE + score * 0.05), match: 'clause' }
  let factor = TIERS[known.source.authorityTier] ?? 1
  // Tables of contents and bibliographies name everything and say nothing.
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

/** Documents with several good passages are more likely meant; passages of others lose up to a quarter. */
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
