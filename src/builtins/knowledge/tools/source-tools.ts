import { z } from 'zod'
import {
  countSources,
  findSource,
  findSourceAt,
  listSources,
} from '../../../storage/knowledge/sources.ts'
import type { SourceRow } from '../../../storage/tables/knowledge-tables.ts'
import { AUTHORITY_TIERS, SOURCE_TYPES } from '../ingest/ingest-options.ts'
import { type Source, sourcesAnswer } from '../answers.ts'
import { KnowledgeError } from '../knowledge-error.ts'
import type { KnowledgeBase } from '../knowledge-base.ts'
import { knowledgeTool } from './tool-kit.ts'

export const knowledgeSources = knowledgeTool({
  name: 'knowledge_sources',
  title: 'List sources',
  description: 'The documents of the knowledge base with their state; failed ones say why.',
  input: z.object({
    source_type: z.enum(SOURCE_TYPES).optional(),
    status: z.enum(['pending', 'ingesting', 'complete', 'failed']).optional(),
    authority_tier: z.enum(AUTHORITY_TIERS).optional(),
    collection: z.string().optional(),
    limit: z.number().int().min(1).max(1000).default(50),
    offset: z.number().int().min(0).default(0).describe('For the next page'),
  }),
  output: sourcesAnswer,
  async answer(input, base) {
    const filter = {
      sourceType: input.source_type,
      status: input.status,
      authorityTier: input.authority_tier,
      collection: input.collection,
    }
    const { db } = base.store.storage
    const rows = await listSources(db, { ...filter, limit: input.limit, offset: input.offset })
    return { sources: rows.map(toLine), total: await countSources(db, filter) }
  },
})

export const knowledgeDelete = knowledgeTool({
  name: 'knowledge_delete',
  title: 'Delete a source or a collection',
  description:
    'Remove a document (by source_id or url) or a whole collection, with its passages and vectors.',
  writes: 'destroys',
  input: z.object({
    source_id: z.string().optional(),
    url: z.string().optional().describe('The location as knowledge_sources shows it'),
    collection: z
      .string()
      .optional()
      .describe('Alone: the whole collection; with url: where to look'),
  }),
  async answer(input, base) {
    const doomed = await chosen(input, base)
    for (const { id } of doomed) await base.store.remove(id)
    const chunks = doomed.reduce((sum, { chunk_count: count }) => sum + count, 0)
    return {
      deleted: doomed.length,
      chunks_deleted: chunks,
      sources: doomed.map(({ id, location, title }) => ({ id, url: location, title })),
      message: `${doomed.length} source${doomed.length === 1 ? '' : 's'} deleted`,
    }
  },
})

async function chosen(
  input: {
    source_id?: string | undefined
    url?: string | undefined
    collection?: string | undefined
  },
  base: KnowledgeBase,
): Promise<SourceRow[]> {
  const { db } = base.store.storage
  const { source_id: id, url, collection } = input
  const found = id
    ? [await findSource(db, id)]
    : url
      ? [await findSourceAt(db, collection ?? 'knowledge', url)]
      : collection
        ? await listSources(db, { collection })
        : undefined
  if (!found) {
    throw new KnowledgeError('invalid_input', 'Say what to delete: source_id, url or collection')
  }
  const rows = found.filter((row) => row !== undefined).filter(({ deleted }) => deleted === 0)
  if (rows.length === 0) throw new KnowledgeError('not_found', 'There is no such source')
  return rows
}

function toLine(row: SourceRow) {
  const error: Source['error'] = row.error_json === null ? undefined : JSON.parse(row.error_json)
  return {
    id: row.id,
    url: row.location,
    title: row.title,
    source_type: row.source_type,
    status: row.status,
    authority_tier: row.authority_tier,
    document_type: row.document_type,
    collection: row.collection,
    format: row.format,
    chunk_count: row.chunk_count,
    word_count: row.word_count,
    page_count: row.page_count,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    ...(error !== undefined && { error }),
  }
}
