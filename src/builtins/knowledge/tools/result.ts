import type { Passage } from '../answers.ts'
import type { KnowledgeBase } from '../knowledge-base.ts'
import { citation, partPages } from '../search/citation.ts'
import type { SearchHit } from '../search/search-knowledge.ts'
import type { StoredChunk } from '../store/stored-chunk.ts'

export const DETAILS = ['compact', 'full'] as const
export type Detail = (typeof DETAILS)[number]

/** Returns a result with the fields of both the first and the later specification. */
export function toResult(found: SearchHit, detail: Detail = 'compact') {
  const { chunk, part, score } = found
  const clause = part ? part.clause : chunk.clauseNumber
  const { normative } = part ?? chunk
  const { source } = chunk
  return {
    content: chunk.content,
    score: round(score),
    document_title: source.title,
    section_title: part?.title ?? chunk.sectionTitle,
    document_type: source.documentType,
    normative,
    clause_number: clause,
    citation: citation(chunk, part),
    relevance: `${Math.round(score * 100)}%`,
    metadata: {
      document_id: source.id,
      chunk_id: chunk.id,
      clause_number: clause,
      normative,
      page_numbers: partPages(chunk, part),
      ...(detail === 'full' && fullMetadata(found)),
    },
  }
}

/** Returns metadata that few readers need and that would be half of the answer. */
function fullMetadata({ chunk, part, match }: SearchHit) {
  const { source } = chunk
  return {
    obligation: (part ?? chunk).obligation,
    chunk_type: chunk.chunkType,
    section_hierarchy: part?.path ?? chunk.sectionPath,
    collection: source.collection,
    url: source.location,
    authority_tier: source.authorityTier,
    standard: source.standard,
    version: source.version,
    domain: source.domain,
    references: chunk.references,
    token_count: chunk.tokenCount,
    match,
  }
}

/** Returns the warning for an answer found without the configured embedder or vectors. */
export function lexicalMark(lexicalOnly: boolean): Record<string, unknown> {
  return lexicalOnly
    ? {
        lexical_only: true,
        warning:
          'The embedder or the vectors did not answer: this was found by words alone. See knowledge_health.',
      }
    : {}
}

export interface Surroundings {
  readonly neighbours: number
  readonly parent: boolean
  readonly detail: Detail
}

/** Adds the neighbouring chunks and the section above. */
export async function withSurroundings(
  base: KnowledgeBase,
  found: SearchHit,
  { neighbours, parent, detail }: Surroundings,
): Promise<Passage> {
  const around = neighbours > 0 ? await base.store.around(found.chunk, neighbours) : undefined
  return {
    ...toResult(found, detail),
    ...(around && { neighbours: around.map((chunk) => brief(chunk)) }),
    ...(parent && { parent_section: await sectionAbove(base, found) }),
  }
}

/** Returns a whole passage, with those around it if they are wanted. */
export async function readPassage(base: KnowledgeBase, chunk: StoredChunk, neighbours: number) {
  const around = neighbours > 0 ? await base.store.around(chunk, neighbours) : undefined
  return { ...brief(chunk), ...(around && { neighbours: around.map((each) => brief(each)) }) }
}

/** Returns the section that contains the one found: in the same chunk, or in one before it. */
async function sectionAbove(base: KnowledgeBase, { chunk, part }: SearchHit) {
  const path = part?.path ?? chunk.sectionPath
  const { parentId } = chunk
  const before = parentId === null ? undefined : (await base.store.chunks([parentId])).get(parentId)
  const places = [before, chunk].flatMap((each) =>
    each ? each.parts.map((section, at) => ({ chunk: each, section, at })) : [],
  )
  const depth = (of: readonly string[]) => (isAbove(of, path) ? of.length : 0)
  const [best] = places.toSorted((a, b) => depth(b.section.path) - depth(a.section.path))
  if (!best || depth(best.section.path) === 0) return null
  const { section, at } = best
  const from = Math.max(section.offset, best.chunk.leadLength)
  return {
    ...brief(best.chunk),
    section_title: section.title,
    citation: citation(best.chunk, section),
    content: best.chunk.content.slice(from, best.chunk.parts[at + 1]?.offset).trim(),
  }
}

/** Whether a section contains another one. */
function isAbove(path: readonly string[], of: readonly string[]): boolean {
  return path.length < of.length && path.every((title, at) => title === of[at])
}

function brief(chunk: StoredChunk): Record<string, unknown> {
  const { id, ordinal, sectionTitle, content, leadLength } = chunk
  return {
    chunk_id: id,
    position: ordinal,
    section_title: sectionTitle,
    citation: citation(chunk, chunk.parts[0]),
    content: content.slice(leadLength),
  }
}

function round(score: number): number {
  return Number(score.toFixed(4))
}
