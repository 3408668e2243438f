import type { CodeHit, CodeIndex } from '../../builtins/code/answers.ts'
import type { Job, Passage, ReadPassage, Source } from '../../builtins/knowledge/answers.ts'
import type { Trace, TraceDetail } from '../../builtins/traces/answers.ts'
import type { ActAs } from './access.ts'

export type { CodeHit, CodeIndex, Job, Passage, ReadPassage, Source, Trace, TraceDetail }

export type Builtin<Answer> =
  | ({ readonly available: true; readonly server: string } & Answer)
  | {
      readonly available: false
      readonly reason: 'not_configured' | 'denied'
      readonly message: string
      /** How to turn it on. */
      readonly hint: string
    }

export interface StartedJob {
  readonly job_id: string
}

// ---------------------------------------------------------------- code

export interface CodeState {
  readonly indexes: readonly CodeIndex[]
  readonly jobs: readonly Job[]
}

export interface CodeQuery extends ActAs {
  readonly q: string
  readonly index?: string
  readonly mode?: 'ranked' | 'exact' | 'regex'
  readonly language?: string
  /** 1 to 50; 10 when left out. */
  readonly limit?: number
}

export interface CodeResults {
  /** The folder that was searched. */
  readonly searched: string | null
  readonly results: readonly CodeHit[]
  /** Warnings and hints: not indexed yet, results left out, embedder unavailable… */
  readonly notes: readonly string[]
  readonly tookMs: number
}

export interface CodeIndexRequest extends ActAs {
  readonly path: string
  readonly indexName?: string
}

// ---------------------------------------------------------------- knowledge

export interface KnowledgeState {
  readonly documents: number
  readonly total_chunks: number
  readonly total_tokens: number
  readonly config: { readonly embedding_model: string | null }
  readonly collections: readonly string[]
  readonly jobs: readonly Job[]
}

export interface SourcesQuery extends ActAs {
  readonly collection?: string
  readonly status?: 'pending' | 'ingesting' | 'complete' | 'failed'
  readonly cursor?: string
  /** 1 to 200; 50 when left out. */
  readonly limit?: number
}

export interface SourcesPage {
  readonly sources: readonly Source[]
  readonly total: number
  readonly next: string | null
}

export interface KnowledgeQuery extends ActAs {
  readonly q: string
  readonly collection?: string
  /** 1 to 50; 10 when left out. */
  readonly limit?: number
}

export interface KnowledgeResults {
  readonly results: readonly Passage[]
  readonly notes: readonly string[]
  readonly tookMs: number
}

export interface ReadQuery extends ActAs {
  /** `metadata.chunk_id` of a passage. */
  readonly chunk: string
  /** How many passages before and after it: 0 to 5. */
  readonly around?: number
}

export interface ReadPages {
  /** In the order of the document. */
  readonly passages: readonly ReadPassage[]
}

export interface DeleteRequest extends ActAs {
  readonly source: string
}

export interface IngestRequest extends ActAs {
  /** A web page, a git repository, a file or a folder. */
  readonly location: string
  readonly collection?: string
  readonly title?: string
  /** How far links of a web page are followed: 0 to 5. */
  readonly depth?: number
}

// ---------------------------------------------------------------- traces

export interface TracesQuery extends ActAs {
  readonly q?: string
  readonly tag?: string
  readonly status?: 'pending' | 'validated'
  /** `1`: only reported traces. Admin. */
  readonly flagged?: '1'
  readonly cursor?: string
  /** 1 to 50; 20 when left out. */
  readonly limit?: number
}

export interface TracesPage {
  /** Each with the beginning of its context. */
  readonly traces: readonly Trace[]
  readonly next: string | null
  /** Null if unknown, as for a search. */
  readonly total: number | null
  readonly tags: readonly string[]
  readonly notes: readonly string[]
}

export interface Moderation extends ActAs {
  /** `approve` dismisses reports and validates it; `flag` hides it; `remove` deletes it. */
  readonly action: 'approve' | 'flag' | 'remove'
  readonly reason?: string
}
