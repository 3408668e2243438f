import type { ColumnDefinitionBuilder } from 'kysely'
import type { Migration } from '../migrate.ts'
import { vectorColumnType } from '../vectors.ts'

/** Documents, their chunks and vectors, ingestion jobs, requests and recorded queries. */
export const knowledge: Migration = {
  name: '0010-knowledge',
  async up(db, engine) {
    await db.schema
      .createTable('knowledge_sources')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('collection', 'text', required)
      .addColumn('location', 'text', required)
      .addColumn('title', 'text', required)
      .addColumn('source_type', 'text', required)
      .addColumn('authority_tier', 'text', required)
      .addColumn('document_type', 'text', required)
      .addColumn('status', 'text', required)
      .addColumn('format', 'text')
      .addColumn('reason', 'text')
      .addColumn('error_json', 'text')
      .addColumn('content_hash', 'text')
      .addColumn('etag', 'text')
      .addColumn('last_modified', 'text')
      .addColumn('word_count', 'integer', required)
      .addColumn('page_count', 'integer')
      .addColumn('chunk_count', 'integer', required)
      .addColumn('metadata_json', 'text', required)
      .addColumn('deleted', 'integer', required)
      .addColumn('revision', 'bigint', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('updated_at', 'bigint', required)
      .addColumn('crawled_at', 'bigint')
      .addUniqueConstraint('knowledge_sources_once', ['collection', 'location'])
      .execute()
    await db.schema
      .createTable('knowledge_chunks')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('source_id', 'text', (column) =>
        column.notNull().references('knowledge_sources.id').onDelete('cascade'),
      )
      .addColumn('ordinal', 'integer', required)
      .addColumn('content', 'text', required)
      .addColumn('lead_length', 'integer', required)
      .addColumn('token_count', 'integer', required)
      .addColumn('content_hash', 'text', required)
      .addColumn('section_title', 'text', required)
      .addColumn('section_path_json', 'text', required)
      .addColumn('clause_number', 'text')
      .addColumn('parts_json', 'text', required)
      .addColumn('chunk_type', 'text', required)
      .addColumn('normative', 'integer')
      .addColumn('obligation', 'text')
      .addColumn('pages_json', 'text', required)
      .addColumn('references_json', 'text', required)
      .addColumn('parent_id', 'text')
      .execute()
    await db.schema
      .createTable('knowledge_vectors')
      .addColumn('chunk_id', 'text', (column) =>
        column.notNull().references('knowledge_chunks.id').onDelete('cascade'),
      )
      .addColumn('model', 'text', required)
      .addColumn('dimensions', 'integer', required)
      .addColumn('embedding', await vectorColumnType(db, engine), required)
      .addPrimaryKeyConstraint('knowledge_vectors_pk', ['chunk_id', 'model'])
      .execute()
    await db.schema
      .createTable('knowledge_jobs')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('targets_json', 'text', required)
      .addColumn('options_json', 'text', required)
      .addColumn('status', 'text', required)
      .addColumn('total', 'integer', required)
      .addColumn('done', 'integer', required)
      .addColumn('failed', 'integer', required)
      .addColumn('current', 'text')
      .addColumn('errors_json', 'text', required)
      .addColumn('owner', 'text')
      .addColumn('lease_until', 'bigint', required)
      .addColumn('created_at', 'bigint', required)
      .addColumn('updated_at', 'bigint', required)
      .execute()
    await db.schema
      .createTable('knowledge_requests')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('url', 'text', required)
      .addColumn('reason', 'text')
      .addColumn('priority', 'integer', required)
      .addColumn('status', 'text', required)
      .addColumn('requested_by', 'text')
      .addColumn('created_at', 'bigint', required)
      .addColumn('processed_at', 'bigint')
      .execute()
    await db.schema
      .createTable('knowledge_queries')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('project_id', 'text', required)
      .addColumn('query', 'text', required)
      .addColumn('workflow', 'text', required)
      .addColumn('result_count', 'integer', required)
      .addColumn('created_at', 'bigint', required)
      .execute()
    for (const [table, columns] of INDEXES) {
      await db.schema
        .createIndex(`${table}_by_${columns.join('_')}`)
        .on(table)
        .columns([...columns])
        .execute()
    }
  },
}

const INDEXES: readonly (readonly [table: string, columns: readonly string[]])[] = [
  ['knowledge_sources', ['revision']],
  ['knowledge_sources', ['content_hash']],
  ['knowledge_chunks', ['source_id', 'ordinal']],
  ['knowledge_chunks', ['content_hash']],
  ['knowledge_jobs', ['status']],
]

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}
