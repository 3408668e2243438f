import { z } from 'zod'
import { type Passage, searchAnswer } from '../answers.ts'
import { CHUNK_TYPES } from '../chunks/chunk.ts'
import type { KnowledgeBase } from '../knowledge-base.ts'
import { KnowledgeError } from '../knowledge-error.ts'
import { DOCUMENT_TYPES } from '../ingest/ingest-options.ts'
import { type Obligation, statedIn } from '../documents/normative.ts'
import { partText, searchKnowledge } from '../search/search-knowledge.ts'
import { searchWordings } from '../search/search-wordings.ts'
import { suggest } from '../search/suggest.ts'
import type { ChunkFilter } from '../store/chunk-filter.ts'
import { fitTokens } from './fit-tokens.ts'
import { DETAILS, lexicalMark, readPassage, toResult, withSurroundings } from './result.ts'
import { count, knowledgeTool, query, required, threshold } from './tool-kit.ts'

/** The filter of the later specification; an unknown key is an error. */
const filterDict = z
  .strictObject({
    document_type: z.union([z.string(), z.array(z.string())]),
    chunk_type: z.union([z.string(), z.array(z.string())]),
    normative: z.boolean(),
    collection: z.string(),
    clause_number: z.string(),
    document_id: z.union([z.string(), z.array(z.string())]),
    source_type: z.string(),
    authority_tier: z.string(),
    standard: z.string(),
    domain: z.string(),
  })
  .partial()

/** The most other wordings of a question; each is a search of its own. */
const MAX_WORDINGS = 5
/** Room for three or four whole passages and one line for each of the others. */
const DEFAULT_TOKENS = 2000
/** A pasted text is a question too; repeated whole, it would leave no room for what was found. */
const MAX_ECHO = 1000
const OPEN_MORE = 'knowledge_read opens passages by their chunk_id'

export const knowledgeSearch = knowledgeTool({
  name: 'knowledge_search',
  title: 'Search the knowledge base',
  description:
    "Search ingested documents (standards, handbooks, guides, web pages) and get cited passages. Use it for requirements, definitions and good practice; the citation names title, clause and page. The documents' own terms find most.",
  input: z.object({
    query,
    also: z
      .array(z.string())
      .max(MAX_WORDINGS)
      .default([])
      .describe("Other wordings of it, such as the documents' own terms"),
    n_results: count(10, 50),
    document_type: z.enum(DOCUMENT_TYPES).optional().describe('Only documents of this type'),
    chunk_type: z.enum(CHUNK_TYPES).optional().describe('Only passages of this kind'),
    normative_only: z.boolean().default(false).describe('Only passages that bind the reader'),
    clause: z
      .string()
      .optional()
      .describe('Only this clause and those under it, for example "5.2"'),
    collection: z.string().optional().describe('Only this collection'),
    filter_dict: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'Filters by metadata: document_type, chunk_type, normative, collection, clause_number, document_id, source_type, authority_tier, standard, domain',
      ),
    score_threshold: threshold,
    use_hybrid: z
      .boolean()
      .default(true)
      .describe('Words and meaning; false searches by words only'),
    hybrid_weight: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        'How much the meaning counts against the words; by default what suits the embedder',
      ),
    neighbours: z
      .number()
      .int()
      .min(0)
      .max(5)
      .default(0)
      .describe('Passages before and after each result'),
    parent_section: z.boolean().default(false).describe('Also the opening of the section above'),
    metadata: z
      .enum(DETAILS)
      .default('compact')
      .describe('"full" adds kind, obligation, section path, collection, address, standard, match'),
    max_tokens: z
      .number()
      .int()
      .min(100)
      .default(DEFAULT_TOKENS)
      .describe('Limit of the whole answer; what does not fit is shown as one line'),
  }),
  output: searchAnswer,
  async answer(input, base, context) {
    const text = required(input.query)
    const filter = toFilter(input)
    const wordings = [text, ...input.also.map((one) => one.trim()).filter((one) => one !== '')]
    const { found, lexicalOnly } = await searchWordings(base.store, wordings, {
      leftMs: context.timeLeftMs?.(),
      limit: input.n_results,
      filter,
      minScore: input.score_threshold,
      mode: input.use_hybrid ? 'hybrid' : 'words',
      denseWeight: input.hybrid_weight,
    })
    const surroundings = {
      neighbours: input.neighbours,
      parent: input.parent_section,
      detail: input.metadata,
    }
    const results = await Promise.all(
      found.map(async (hit) => withSurroundings(base, hit, surroundings)),
    )
    const advice = await adviceFor(results, base, { query: text, filter })
    const answer = (kept: Passage[], omitted: number) => ({
      query: input.query.slice(0, MAX_ECHO),
      ...counted(kept),
      ...(omitted > 0 && { omitted_for_max_tokens: omitted }),
      ...(kept.some(({ truncated, metadata }) => truncated && metadata) && { next: OPEN_MORE }),
      ...lexicalMark(lexicalOnly),
      ...advice,
    })
    const limit = { maxTokens: input.max_tokens, countTokens: base.countTokens }
    return fitTokens(results, answer, limit)
  },
})

export const knowledgeKeywordSearch = knowledgeTool({
  name: 'knowledge_keyword_search',
  title: 'Search by exact words',
  description:
    'Search by words alone, without any model: for identifiers, codes and exact terms. Faster than knowledge_search.',
  input: z.object({
    query: z.string().max(500).describe('1 to 500 characters'),
    n_results: count(10, 100),
    collection: z.string().optional(),
  }),
  async answer({ query: asked, n_results: limit, collection }, base) {
    const text = required(asked)
    const filter: ChunkFilter = { collection }
    const { found } = await searchKnowledge(base.store, {
      query: text,
      limit,
      filter,
      mode: 'words',
    })
    const results = found.map((hit) => toResult(hit))
    const advice = await adviceFor(results, base, { query: text, filter })
    return { query: asked, ...counted(results), ...advice }
  },
})

export const knowledgeRequirements = knowledgeTool({
  name: 'knowledge_requirements',
  title: 'Find binding requirements',
  description:
    'Find what standards demand on a topic: only normative passages, with each sentence that states a requirement.',
  input: z.object({
    topic: z.string().describe('What the requirements are about'),
    standard: z.string().optional().describe('Only this standard, for example "ISO 26262"'),
    n_results: count(10, 50),
    include_recommendations: z.boolean().default(false).describe('Also SHOULD and RECOMMENDED'),
  }),
  async answer(input, base, context) {
    const topic = required(input.topic)
    const filter: ChunkFilter = { normative: true, standard: input.standard }
    const wanted: readonly Obligation[] = input.include_recommendations
      ? ['requirement', 'recommendation']
      : ['requirement']
    const { found, lexicalOnly } = await searchKnowledge(base.store, {
      query: topic,
      limit: input.n_results * 3,
      filter,
      leftMs: context.timeLeftMs?.(),
    })
    const results = found
      .filter(({ chunk, part }) => {
        const { obligation } = part ?? chunk
        return input.include_recommendations || obligation !== 'recommendation'
      })
      .slice(0, input.n_results)
      .map((hit) => ({ ...toResult(hit), requirements: statedIn(partText(hit), wanted) }))
    const advice = await adviceFor(results, base, {
      query: topic,
      filter,
      message: 'No binding passage was found.',
    })
    return { topic: input.topic, ...counted(results), ...lexicalMark(lexicalOnly), ...advice }
  },
})

export const knowledgeRead = knowledgeTool({
  name: 'knowledge_read',
  title: 'Read passages',
  description: 'Whole passages by the chunk_id that a search gave, with their citations.',
  input: z.object({
    chunk_ids: z.array(z.string()).min(1).max(10).describe('1 to 10, from metadata.chunk_id'),
    neighbours: z.number().int().min(0).max(5).default(0).describe('Passages before and after'),
  }),
  async answer({ chunk_ids: ids, neighbours }, base) {
    const known = await base.store.chunks(ids)
    const results = await Promise.all(
      [...known.values()].map(async (chunk) => readPassage(base, chunk, neighbours)),
    )
    const missing = ids.filter((id) => !known.has(id))
    const message = 'These have changed or are gone since: search again.'
    return { ...counted(results), ...(missing.length > 0 && { missing, message }) }
  },
})

/** Returns results with their number, by the names of both specifications. */
function counted<Result>(results: Result[]) {
  return { results, total: results.length, count: results.length }
}

/** Returns what to try if there are no results. */
async function adviceFor(
  results: readonly unknown[],
  { store }: KnowledgeBase,
  asked: { readonly query: string; readonly filter: ChunkFilter; readonly message?: string },
) {
  if (results.length > 0) return {}
  const suggestions = suggest(await store.index(), asked.query, asked.filter)
  return { message: asked.message ?? 'Nothing was found.', suggestions }
}

function toFilter(input: {
  readonly document_type?: string | undefined
  readonly chunk_type?: string | undefined
  readonly normative_only: boolean
  readonly clause?: string | undefined
  readonly collection?: string | undefined
  readonly filter_dict?: Record<string, unknown> | undefined
}): ChunkFilter {
  const dict = filterDict.safeParse(input.filter_dict ?? {})
  if (!dict.success) {
    const problems = dict.error.issues.map(({ path, message }) => [...path, message].join(': '))
    throw new KnowledgeError('invalid_input', `filter_dict: ${problems.join('; ')}`, {
      suggestion: `filter_dict knows ${Object.keys(filterDict.shape).join(', ')}.`,
    })
  }
  const { data } = dict
  return {
    collection: input.collection ?? data.collection,
    documentTypes: input.document_type ? [input.document_type] : list(data.document_type),
    chunkTypes: input.chunk_type ? [input.chunk_type] : list(data.chunk_type),
    normative: input.normative_only ? true : data.normative,
    clausePrefix: input.clause ?? data.clause_number,
    sourceIds: list(data.document_id),
    sourceType: data.source_type,
    authorityTier: data.authority_tier,
    standard: data.standard,
    domain: data.domain,
  }
}

function list(value: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof value === 'string' ? [value] : value
}
