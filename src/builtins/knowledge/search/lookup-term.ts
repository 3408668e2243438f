import type { ChunkFilter } from '../store/chunk-filter.ts'
import type { ChunkIndex } from '../store/chunk-index.ts'
import type { KnowledgeStore } from '../store/knowledge-store.ts'
import type { StoredChunk } from '../store/stored-chunk.ts'
import type { ChunkPart } from '../chunks/chunk.ts'
import { sectionName } from '../documents/clause-number.ts'
import { editDistance } from '../../../base/text/nearest.ts'
import { escapeRegExp } from '../../../base/text/escape-regexp.ts'

export interface TermDefinition {
  readonly term: string
  readonly definition: string
  readonly chunk: StoredChunk
  readonly part: ChunkPart
}

export interface SimilarTerm {
  readonly term: string
  readonly similarity: number
}

const MAX_SIMILAR = 3
const MIN_SIMILARITY = 0.5
/** The most definition passages to read for a term that no heading names. */
const MAX_GLOSSARIES = 500
/** A term on its own line before ": meaning", or in "- **term**: meaning". */
const LISTED = /^([^\n:]{2,80})\n: |^[-*] \**([^\n:*]{2,80})\**: /gm

/** Finds definitions of a term: sections with that title, or else entries like "term: meaning". */
export async function lookupTerm(
  store: KnowledgeStore,
  term: string,
): Promise<{ definitions: TermDefinition[]; similar: SimilarTerm[] }> {
  const index = await store.index()
  const wanted = normal(term)
  const titled: string[] = []
  const names = new Map<string, string>()
  for (const [id, { chunkType, sectionTitle }] of index.allFacts()) {
    if (chunkType !== 'definition') continue
    for (const title of sectionTitle.split('\n').map(sectionName)) {
      names.set(normal(title), title)
      if (normal(title) === wanted) titled.push(id)
    }
  }
  const chunks = [...(await store.chunks(titled)).values()]
  if (chunks.length === 0) {
    for (const name of await listedTerms(store, index)) names.set(normal(name), name)
  }
  const definitions = chunks.flatMap((chunk) => titledDefinitions(chunk, wanted))
  const entries = definitions.length > 0 ? [] : await entriesOf(store, index, term)
  const found = [...definitions, ...entries]
  return { definitions: found, similar: similarTerms(wanted, names) }
}

/** Returns the terms of glossaries written as lists, which appear only in the text. */
async function listedTerms(store: KnowledgeStore, index: ChunkIndex): Promise<string[]> {
  const ids = [...index.allFacts()].flatMap(([id, { chunkType }]) =>
    chunkType === 'definition' ? [id] : [],
  )
  const chunks = await store.chunks(ids.slice(0, MAX_GLOSSARIES))
  return [...chunks.values()].flatMap(({ content }) =>
    [...content.matchAll(LISTED)].flatMap((found) => found[1] ?? found[2] ?? []),
  )
}

function titledDefinitions(chunk: StoredChunk, wanted: string): TermDefinition[] {
  return chunk.parts.flatMap((part, at) => {
    const term = sectionName(part.title)
    if (normal(term) !== wanted) return []
    const text = chunk.content.slice(part.offset, chunk.parts[at + 1]?.offset)
    return [{ term, definition: text.replace(part.title, '').trim(), chunk, part }]
  })
}

/** Finds entries in lists or tables: "- **term**: meaning", "| term | meaning |". */
async function entriesOf(
  store: KnowledgeStore,
  index: ChunkIndex,
  term: string,
): Promise<TermDefinition[]> {
  const filter: ChunkFilter = { chunkTypes: ['definition', 'table'] }
  const { lexical } = await store.candidates(term, { filter, limit: 20, dense: false })
  const chunks = await store.chunks(lexical.map(({ id }) => id))
  const escaped = escapeRegExp(term.trim())
  const entry = new RegExp(`^[|\\s*_-]*${escaped}[*_"]*\\s*(?:[:|—–]|-\\s)\\s*(.+?)\\s*\\|?$`, 'im')
  return lexical.flatMap(({ id }) => {
    const chunk = chunks.get(id)
    const [part] = chunk?.parts ?? []
    const definition = chunk && entry.exec(chunk.content)?.[1]
    return definition && part && index.facts(id) ? [{ term, definition, chunk, part }] : []
  })
}

function similarTerms(wanted: string, names: ReadonlyMap<string, string>): SimilarTerm[] {
  return [...names]
    .filter(([name]) => name !== wanted)
    .map(([name, term]) => ({ term, similarity: similarity(wanted, name) }))
    .filter(({ similarity: value }) => value > MIN_SIMILARITY)
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, MAX_SIMILAR)
}

/** Rates two terms by edit distance up to two edits, otherwise by their common letter triples. */
function similarity(a: string, b: string): number {
  const edits = editDistance(a, b, 2)
  if (edits <= 2) return Math.round((1 - edits / Math.max(a.length, b.length)) * 100) / 100
  const [first, second] = [triples(a), triples(b)]
  const common = [...first].filter((triple) => second.has(triple)).length
  return Math.round(((2 * common) / (first.size + second.size)) * 100) / 100
}

function triples(text: string): Set<string> {
  const padded = `  ${text} `
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)))
}

function normal(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim()
}
