import { escapeRegExp } from '../../../base/text/escape-regexp.ts'
import { STOP_WORDS } from '../../../search/analyse/stop-words.ts'
import type { KnowledgeStore } from '../store/knowledge-store.ts'
import { type Found, searchKnowledge } from './search-knowledge.ts'

export interface TradeOptions {
  readonly alternatives: readonly string[]
  readonly criteria: readonly string[]
  readonly limit: number
  readonly minScore: number
}

export interface TradeStudy {
  readonly alternatives: readonly Alternative[]
  readonly total_sources: number
}

interface Alternative {
  readonly name: string
  readonly criteria: readonly CriterionEvidence[]
  readonly source_count: number
}

interface CriterionEvidence {
  readonly name: string
  readonly evidence: string | null
  readonly value: string | null
  readonly source: {
    readonly chunk_id: string
    readonly document_title: string
    readonly section_title: string
    readonly score: number
  } | null
}

/** An alternative and the passages about it. */
type Evidence = readonly [name: string, found: readonly Found[]]

const [PER_CRITERION, MAX_BOOST, EVIDENCE_LENGTH] = [0.1, 0.3, 200]
const VALUE = /[<>≤≥~]?\s?-?\d[\d ., ]*(?:\s?(?:%|°C|[a-zA-Zµ]{1,4}(?:\/[a-zA-Z]+)?)(?![\w-]))?/

const WORD_START = '(?<![\\p{L}\\p{N}_])'

/** Finds the sentence of the documents about each alternative under each criterion. */
export async function compareAlternatives(
  store: KnowledgeStore,
  query: string,
  options: TradeOptions,
): Promise<{ readonly study: TradeStudy; readonly lexicalOnly: boolean }> {
  const { evidence, lexicalOnly } = await evidenceFor(store, query, options)
  const sources = new Set<string>()
  const alternatives: Alternative[] = []
  for (const [name, found] of evidence) {
    const scored = boosted(found, options)
    for (const { id } of scored) sources.add(id)
    alternatives.push({
      name,
      criteria: options.criteria.map((criterion) => evidenceOf(criterion, name, scored, options)),
      source_count: scored.length,
    })
  }
  return { study: { alternatives, total_sources: sources.size }, lexicalOnly }
}

/** Finds passages for each alternative; without a list, each document found is an alternative. */
async function evidenceFor(
  store: KnowledgeStore,
  query: string,
  { alternatives, limit }: TradeOptions,
): Promise<{ readonly evidence: readonly Evidence[]; readonly lexicalOnly: boolean }> {
  if (alternatives.length === 0) {
    const { found, lexicalOnly } = await searchKnowledge(store, { query, limit })
    const titles = [...new Set(found.map(({ chunk }) => chunk.source.title))]
    const evidence = titles.map((title): Evidence => {
      return [title, found.filter(({ chunk }) => chunk.source.title === title)]
    })
    return { evidence, lexicalOnly }
  }
  const evidence: Evidence[] = []
  let anyLexicalOnly = false
  for (const name of alternatives) {
    const { found, lexicalOnly } = await searchKnowledge(store, {
      query: `${name} ${query}`,
      limit,
    })
    evidence.push([name, found.filter(({ chunk }) => mentions(chunk.content, name))])
    anyLexicalOnly ||= lexicalOnly
  }
  return { evidence, lexicalOnly: anyLexicalOnly }
}

function boosted(found: readonly Found[], { criteria, minScore }: TradeOptions): Found[] {
  return found
    .map((hit) => {
      const named = criteria.filter((criterion) => mentions(hit.chunk.content, criterion)).length
      return { ...hit, score: Math.min(1, hit.score + Math.min(MAX_BOOST, named * PER_CRITERION)) }
    })
    .filter(({ score }) => score >= minScore)
    .toSorted((a, b) => b.score - a.score)
}

function evidenceOf(
  criterion: string,
  alternative: string,
  found: readonly Found[],
  { alternatives }: TradeOptions,
): CriterionEvidence {
  for (const hit of found) {
    const sentence = bestSentence(hit.chunk.content, criterion, alternative, alternatives)
    if (!sentence) continue
    const { chunk, score } = hit
    return {
      name: criterion,
      evidence: sentence.slice(0, EVIDENCE_LENGTH),
      value: valueNear(sentence, criterion),
      source: {
        chunk_id: chunk.id,
        document_title: chunk.source.title,
        section_title: chunk.sectionTitle,
        score: Number(score.toFixed(4)),
      },
    }
  }
  return { name: criterion, evidence: null, value: null, source: null }
}

/** Returns a sentence on the criterion about this alternative alone, preferably with a number. */
function bestSentence(
  content: string,
  criterion: string,
  alternative: string,
  alternatives: readonly string[],
): string | undefined {
  const names = alternatives.length === 0 ? [alternative] : alternatives
  let subjects: readonly string[] = alternatives.length === 0 ? [alternative] : []
  const found: string[] = []
  for (const sentence of content.split(/(?<=[.;!?])\s+|\n+/)) {
    const named = names.filter((name) => mentions(sentence, name))
    if (named.length > 0) subjects = named
    const alone = subjects.length === 1 && subjects[0] === alternative
    if (alone && mentions(sentence, criterion)) found.push(sentence.trim())
  }
  return found.find((sentence) => VALUE.test(sentence)) ?? found[0]
}

/** Returns the first number after the criterion, otherwise the first in the sentence. */
function valueNear(sentence: string, criterion: string): string | null {
  const at = sentence.search(wordPattern(criterion))
  const after = at < 0 ? undefined : VALUE.exec(sentence.slice(at))?.[0]
  return (after ?? VALUE.exec(sentence)?.[0])?.trim() ?? null
}

/** Whether a text has all words of a phrase, apart from words such as "of" and "in". */
function mentions(text: string, phrase: string): boolean {
  const words = phrase.split(/[\s_-]+/).filter(Boolean)
  const telling = words.filter((word) => !isShort(word) || !STOP_WORDS.has(word.toLowerCase()))
  return (telling.length > 0 ? telling : words).every((word) => wordPattern(word).test(text))
}

/**
 * Matches words by their start, so that "responds" matches "response" and "costs" "cost". A short
 * word must be whole and have the same capitals: "C" is not "C++", and "Go" is not "go".
 */
function wordPattern(word: string): RegExp {
  if (isShort(word)) {
    const flags = word === word.toLowerCase() ? 'iu' : 'u'
    return new RegExp(`${WORD_START}${escapeRegExp(word)}(?![\\p{L}\\p{N}_+#])`, flags)
  }
  const stem = word.length > 5 ? word.slice(0, Math.max(5, word.length - 3)) : word
  return new RegExp(`${WORD_START}${escapeRegExp(stem)}`, 'iu')
}

function isShort(word: string): boolean {
  return word.length <= 2
}
