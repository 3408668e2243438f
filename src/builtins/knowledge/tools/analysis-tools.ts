import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { recordQuery } from '../../../storage/knowledge/requests.ts'
import type { KnowledgeBase } from '../knowledge-base.ts'
import {
  EXPLORE_FACETS,
  type Facet,
  PLAN_CATEGORIES,
  belongsTo,
  facetNamed,
} from '../search/facets.ts'
import { type SearchOutcome, searchKnowledge } from '../search/search-knowledge.ts'
import { compareAlternatives } from '../search/trade-study.ts'
import { rootCauses } from '../search/root-causes.ts'
import { assessArea, overallPriority } from '../search/assess-area.ts'
import { lexicalMark, round, toResult } from './result.ts'
import {
  count,
  knowledgeTool,
  nameList,
  projectId,
  query,
  required,
  threshold,
} from './tool-kit.ts'

export const knowledgeAssess = knowledgeTool({
  name: 'knowledge_assess',
  title: 'Assess coverage',
  description: 'How well the knowledge base covers areas of knowledge, and what is missing.',
  input: z.object({
    areas: nameList.min(1).describe('Areas to assess'),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe('From which similarity an area counts as covered'),
  }),
  async answer({ areas, threshold: least }, base) {
    const assessed = []
    let anyLexicalOnly = false
    for (const area of areas) {
      const { found, lexicalOnly } = await searchKnowledge(base.store, {
        query: required(area),
        limit: 10,
      })
      anyLexicalOnly ||= lexicalOnly
      assessed.push(assessArea(area, found, least))
    }
    const gaps = assessed.flatMap((area) => ('gap' in area ? [area.gap] : []))
    const covered = assessed.flatMap((area) => ('covered' in area ? [area.covered] : []))
    return {
      gaps,
      covered,
      summary: {
        total_areas: areas.length,
        coverage_ratio: round(covered.length / areas.length),
        gaps_count: gaps.length,
        covered_count: covered.length,
        overall_priority: overallPriority(gaps),
      },
      ...lexicalMark(anyLexicalOnly),
    }
  },
})

export const knowledgeRcca = knowledgeTool({
  name: 'knowledge_rcca',
  title: 'Root cause and corrective action',
  description:
    'Find known failures like the one described: symptoms, root cause, contributing factors, resolution.',
  input: z.object({
    query,
    n_results: count(10, 100),
    score_threshold: threshold,
    project_id: projectId,
  }),
  async answer(input, base) {
    const text = required(input.query)
    const { causes: results, lexicalOnly } = await rootCauses(base.store, text, {
      limit: input.n_results,
      minScore: input.score_threshold,
    })
    await remember(base, input, 'rcca', results.length)
    return {
      result_type: 'rcca_analysis',
      total_results: results.length,
      results: results.map(({ chunk, score, metadata }) => ({
        id: chunk.id,
        content: chunk.content,
        score: round(score),
        document_title: chunk.source.title,
        section_title: chunk.sectionTitle,
        rcca_metadata: metadata,
      })),
      ...lexicalMark(lexicalOnly),
    }
  },
})

export const knowledgeTrade = knowledgeTool({
  name: 'knowledge_trade',
  title: 'Trade study',
  description: 'Evidence for comparing alternatives by criteria, with values and sources.',
  input: z.object({
    query,
    alternatives: nameList.optional().describe('What is compared; without it, the documents found'),
    criteria: nameList.optional().describe('What it is compared by'),
    n_results: count(20, 100),
    score_threshold: threshold,
    project_id: projectId,
  }),
  async answer(input, base) {
    const text = required(input.query)
    const { study, lexicalOnly } = await compareAlternatives(base.store, text, {
      alternatives: input.alternatives ?? [],
      criteria: input.criteria ?? [],
      limit: input.n_results,
      minScore: input.score_threshold,
    })
    await remember(base, input, 'trade', study.total_sources)
    return { result_type: 'trade_study', ...study, ...lexicalMark(lexicalOnly) }
  },
})

export const knowledgeExplore = knowledgeTool({
  name: 'knowledge_explore',
  title: 'Explore a topic',
  description:
    'A topic from several sides: definitions, examples, standards, best practices, or facets of your own.',
  input: z.object({
    query,
    facets: nameList.optional().describe('Instead of the four usual ones'),
    n_results: count(20, 100),
    score_threshold: threshold,
    project_id: projectId,
  }),
  async answer(input, base) {
    const text = required(input.query)
    const names = input.facets ?? Object.keys(EXPLORE_FACETS)
    const { byFacet, lexicalOnly } = await searchFacets(
      base,
      { ...input, query: text },
      names,
      EXPLORE_FACETS,
    )
    const total = Object.values(byFacet).reduce((sum, { length }) => sum + length, 0)
    await remember(base, input, 'explore', total)
    return {
      result_type: 'explore_analysis',
      results_by_facet: byFacet,
      facet_coverage: Object.fromEntries(
        Object.entries(byFacet).map(([name, { length }]) => [name, length]),
      ),
      total_results: total,
      facets_explored: names,
      ...lexicalMark(lexicalOnly),
    }
  },
})

export const knowledgePlan = knowledgeTool({
  name: 'knowledge_plan',
  title: 'Support for planning',
  description: 'Templates, risks, lessons learned and precedents for a piece of work.',
  input: z.object({
    query,
    categories: nameList.optional().describe('Instead of the four usual ones'),
    n_results: count(20, 100),
    score_threshold: threshold,
    project_id: projectId,
  }),
  async answer(input, base) {
    const text = required(input.query)
    const names = input.categories ?? Object.keys(PLAN_CATEGORIES)
    const { byFacet: categories, lexicalOnly } = await searchFacets(
      base,
      { ...input, query: text },
      names,
      PLAN_CATEGORIES,
    )
    const total = Object.values(categories).reduce((sum, { length }) => sum + length, 0)
    await remember(base, input, 'plan', total)
    return {
      result_type: 'plan_analysis',
      categories,
      total_results: total,
      ...lexicalMark(lexicalOnly),
    }
  },
})

interface FacetQuery {
  readonly query: string
  readonly n_results: number
  readonly score_threshold: number
}

/** Searches once per facet; boosts the passages of the facet and leaves out the others. */
async function searchFacets(
  base: KnowledgeBase,
  { query: text, n_results: limit, score_threshold: minScore }: FacetQuery,
  names: readonly string[],
  known: Readonly<Record<string, Facet>>,
): Promise<{ byFacet: Record<string, Record<string, unknown>[]>; lexicalOnly: boolean }> {
  const share = Math.max(1, Math.ceil(limit / names.length))
  const entries = []
  let anyLexicalOnly = false
  for (const name of names) {
    const facet = facetNamed(name, known)
    const { found, lexicalOnly } = await ofFacet(base, text, facet, limit)
    anyLexicalOnly ||= lexicalOnly
    const best = found.filter(({ score }) => score >= minScore).slice(0, share)
    entries.push([name, best.map((hit) => toResult(hit))] as const)
  }
  return { byFacet: Object.fromEntries(entries), lexicalOnly: anyLexicalOnly }
}

async function ofFacet(
  base: KnowledgeBase,
  text: string,
  facet: Facet,
  limit: number,
): Promise<SearchOutcome> {
  const index = await base.store.index()
  const plain = await searchKnowledge(base.store, { query: text, limit: limit * 2 })
  const directed = await searchKnowledge(base.store, {
    query: `${text} ${facet.words}`,
    limit: limit * 2,
  })
  const scores = new Map(plain.found.map(({ id, score }) => [id, score]))
  const all = new Map([...directed.found, ...plain.found].map((hit) => [hit.id, hit]))
  const found = [...all.values()]
    .filter(({ id, chunk }) => {
      const facts = index.facts(id)
      return facts !== undefined && belongsTo(facet, facts, chunk.content)
    })
    .map((hit) => {
      // A passage found only by the words of the facet is less about the topic.
      const plainScore = scores.get(hit.id) ?? hit.score * 0.5
      return { ...hit, score: Math.min(1, plainScore * facet.boost) }
    })
    .toSorted((a, b) => b.score - a.score)
  return { found, lexicalOnly: plain.lexicalOnly || directed.lexicalOnly }
}

async function remember(
  base: KnowledgeBase,
  input: { readonly query: string; readonly project_id?: string | undefined },
  workflow: string,
  results: number,
): Promise<void> {
  if (!input.project_id) return
  await recordQuery(base.store.storage.db, {
    id: randomUUID(),
    project_id: input.project_id,
    query: input.query,
    workflow,
    result_count: results,
    created_at: Date.now(),
  })
}
