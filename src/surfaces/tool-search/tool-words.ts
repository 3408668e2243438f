import type { Tool } from '../../gateway/upstream.ts'
import { defineAnalyser } from '../../search/analyse/analyser.ts'
import { STOP_WORDS, contentWords } from '../../search/analyse/stop-words.ts'
import { type TextHit, TextIndex } from '../../search/text-index.ts'
import { synonymsOf } from './tool-synonyms.ts'
import { aboutOf, nameInWords, parametersOf } from './tool-text.ts'
import { shownName } from '../../gateway/tools/tool-ref.ts'

/** How one tool matches a query by words. */
export interface WordMatch {
  /** What words add to the ranking. */
  readonly score: number
  /** Relative to the best hit, in the better of both rankings. */
  readonly share: number
  /** The share of the query's information that the tool holds, 0..1. */
  readonly held: number
}

export interface WordSearch {
  readonly accept: (id: string) => boolean
  /** Searches n-grams even if words found the best tool for sure: they find those beside it. */
  readonly alwaysNgrams?: boolean | undefined
}

/** `get` and `list` are stop words in prose, but carry meaning in the name of a tool. */
const VERBS = new Set(['get', 'use', 'off', 'up', 'out', 'do', 'one', 'own'])
const stopWords = new Set([...STOP_WORDS].filter((word) => !VERBS.has(word)))
const words = defineAnalyser({ identifiers: true, stem: true, stopWords })
const grams = defineAnalyser({ ngrams: 4, stopWords })

const CANDIDATES = 60
/** Reciprocal rank fusion: how much the first ranks count more than the next. */
const RANK_OFFSET = 5
const SYNONYM_WEIGHT = 0.7
/** The best hit weighs less if it holds little of the query: then words found hardly anything. */
const WEIGHT = 1.3
/** The weight that hits keep if they hold little of a long query. One word may be an accident. */
const LEAST = 0.3
const ENOUGH_WORDS = 3
/** How much the distance to the best hit counts, beside the rank. */
const SHARE_WEIGHT = 0.6
/** If words hold this much of the query, n-grams, which take as long, find nothing better. */
const SURE = 0.6

/**
 * Finds tools by the words of names, descriptions and parameters. Words and character n-grams are
 * ranked apart and fused: words are sharper, n-grams forgive spelling, plurals and joined names.
 */
export class ToolWords {
  readonly #words = new TextIndex({
    name: { analyser: words, weight: 3, lengthPenalty: 0.4 },
    description: { analyser: words, weight: 1 },
    parameters: { analyser: words, weight: 0.3 },
    server: { analyser: words, weight: 0.5, lengthPenalty: 0 },
  })
  readonly #grams = new TextIndex({
    name: { analyser: grams, weight: 2, lengthPenalty: 0.5 },
    description: { analyser: grams, weight: 1 },
  })
  /** Ids by name, in any notation: `getUser`, `get_user` and "get user" are one name. */
  readonly #names = new Map<string, Set<string>>()
  readonly #namesOf = new Map<string, readonly string[]>()

  set(id: string, tool: Tool): void {
    this.delete(id)
    const about = aboutOf(tool)
    this.#words.set(id, {
      name: shownName(tool),
      description: about,
      parameters: parametersOf(tool),
      server: tool.server,
    })
    this.#grams.set(id, { name: nameInWords(tool), description: about })
    const name = shownName(tool)
    const names = [name, `${tool.server} ${name}`].map(squeezed)
    this.#namesOf.set(id, names)
    for (const one of names) this.#names.set(one, (this.#names.get(one) ?? new Set()).add(id))
  }

  delete(id: string): void {
    this.#words.delete(id)
    this.#grams.delete(id)
    for (const name of this.#namesOf.get(id) ?? []) {
      const ids = this.#names.get(name)
      ids?.delete(id)
      if (ids?.size === 0) this.#names.delete(name)
    }
    this.#namesOf.delete(id)
  }

  /** Returns the tools whose name is the query. */
  named(query: string): ReadonlySet<string> {
    return this.#names.get(squeezed(query)) ?? NONE
  }

  search(query: string, { accept, alwaysNgrams = false }: WordSearch): Map<string, WordMatch> {
    const options = { limit: CANDIDATES, accept }
    const also = { words: synonymsOf(query), weight: SYNONYM_WEIGHT }
    const byWord = this.#words.search(query, { ...options, also })
    const isSure = !alwaysNgrams && (byWord[0]?.score ?? 0) >= SURE
    const byGram = isSure ? [] : this.#grams.search(query, options)
    const fused = fuse(byWord, byGram)
    const most = Math.max(...[...fused.values()].map(({ rank }) => rank))
    const held = byWord[0]?.score ?? 0
    const heldWords = held * contentWords(query).length
    const least = LEAST * Math.min(1, Math.max(0, (heldWords - 1) / (ENOUGH_WORDS - 1)))
    const factor = WEIGHT * (least + (1 - least) * held)
    for (const entry of fused.values()) {
      const place = (1 - SHARE_WEIGHT) * (entry.rank / most) + SHARE_WEIGHT * entry.share
      entry.score = factor * place
    }
    return fused
  }
}

interface FusedMatch {
  rank: number
  share: number
  held: number
  score: number
}

function fuse(byWord: readonly TextHit[], byGram: readonly TextHit[]): Map<string, FusedMatch> {
  const fused = new Map<string, FusedMatch>()
  for (const hits of [byWord, byGram]) {
    const best = hits[0]?.score ?? 1
    for (const [place, { id, score }] of hits.entries()) {
      const entry = fused.get(id) ?? { rank: 0, share: 0, held: 0, score: 0 }
      entry.rank += 1 / (RANK_OFFSET + place)
      entry.share = Math.max(entry.share, score / best)
      if (hits === byWord) entry.held = score
      fused.set(id, entry)
    }
  }
  return fused
}

const NONE: ReadonlySet<string> = new Set()

function squeezed(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
