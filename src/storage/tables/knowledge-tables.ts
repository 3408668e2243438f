import type { Selectable } from 'kysely'

export interface KnowledgeTables {
  knowledge_sources: SourceTable
  knowledge_chunks: ChunkTable
  knowledge_vectors: ChunkVectorTable
  knowledge_jobs: JobTable
  knowledge_requests: RequestTable
  knowledge_queries: QueryTable
}

export type SourceRow = Selectable<SourceTable>
export type ChunkRow = Selectable<ChunkTable>
export type JobRow = Selectable<JobTable>
export type RequestRow = Selectable<RequestTable>

/** A document and its origin. A deleted row stays, to tell the indexes of other processes. */
interface SourceTable {
  id: string
  collection: string
  /** A path, a URL, or `repository#path`; one per collection. */
  location: string
  title: string
  source_type: 'document' | 'web' | 'standard'
  authority_tier: 'tier1' | 'tier2' | 'tier3'
  document_type: string
  status: 'pending' | 'ingesting' | 'complete' | 'failed'
  format: string | null
  reason: string | null
  error_json: string | null
  content_hash: string | null
  etag: string | null
  last_modified: string | null
  word_count: number
  page_count: number | null
  chunk_count: number
  /** The standard that it is, and the metadata of the document. */
  metadata_json: string
  deleted: number
  revision: number
  created_at: number
  updated_at: number
  crawled_at: number | null
}

interface ChunkTable {
  id: string
  source_id: string
  ordinal: number
  content: string
  lead_length: number
  token_count: number
  content_hash: string
  section_title: string
  section_path_json: string
  clause_number: string | null
  parts_json: string
  chunk_type: string
  normative: number | null
  obligation: string | null
  pages_json: string
  references_json: string
  parent_id: string | null
}

interface ChunkVectorTable {
  chunk_id: string
  model: string
  dimensions: number
  embedding: unknown
}

interface JobTable {
  id: string
  targets_json: string
  options_json: string
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  total: number
  done: number
  failed: number
  current: string | null
  errors_json: string
  /** The worker of the job; `lease_until` is how long it counts as alive. */
  owner: string | null
  lease_until: number
  created_at: number
  updated_at: number
}

interface RequestTable {
  id: string
  url: string
  reason: string | null
  priority: number
  status: 'pending' | 'done' | 'failed'
  requested_by: string | null
  created_at: number
  processed_at: number | null
}

interface QueryTable {
  id: string
  project_id: string
  query: string
  workflow: string
  result_count: number
  created_at: number
}
