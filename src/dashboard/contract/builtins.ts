import type { ActAs } from './access.ts'

export type Builtin<Answer> =
  | ({ readonly available: true; readonly server: string } & Answer)
  | {
      readonly available: false
      readonly reason: 'not_configured' | 'denied'
      readonly message: string
      /** How to turn it on. */
      readonly hint: string
    }

/** Background work, such as indexing a folder or ingesting documents. */
export interface Job {
  readonly id: string
  readonly title: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly done: number
  /** Null while it is not known. */
  readonly total: number | null
  readonly message: string | null
  readonly error: string | null
  readonly startedAt: string
  readonly endedAt: string | null
}

// ---------------------------------------------------------------- code

export interface CodeState {
  readonly indexes: readonly CodeIndex[]
  readonly jobs: readonly Job[]
}

export interface CodeIndex {
  readonly name: string
  readonly path: string
  readonly files: number
  readonly updatedAt: string | null
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
  /** The folder that was searched, and its index. */
  readonly searched: { readonly path: string; readonly index: string | null } | null
  readonly results: readonly CodeHit[]
  /** Warnings and hints: not indexed yet, results left out, embedder unavailable… */
  readonly notes: readonly string[]
  readonly tookMs: number
}

export interface CodeHit {
  readonly file: string
  readonly startLine: number
  readonly endLine: number
  /** 0..1 */
  readonly score: number
  readonly content: string
  readonly language: string
  readonly symbol: { readonly type: string; readonly name: string } | null
  readonly match: 'keyword' | 'semantic' | 'both'
  readonly index: string | null
}

export interface CodeIndexRequest extends ActAs {
  readonly path: string
  readonly indexName?: string
}

// ---------------------------------------------------------------- knowledge

export interface KnowledgeState {
  readonly documents: number
  readonly passages: number
  readonly tokens: number
  readonly collections: readonly string[]
  readonly embedder: string | null
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

export interface Source {
  readonly id: string
  readonly location: string
  readonly title: string
  readonly status: 'pending' | 'ingesting' | 'complete' | 'failed'
  readonly collection: string
  readonly format: string | null
  readonly passages: number
  readonly words: number
  readonly updatedAt: string
  readonly error: string | null
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

export interface Passage {
  readonly id: string
  readonly content: string
  /** 0..1 */
  readonly score: number
  /** Title, clause and page in one line. */
  readonly citation: string
  readonly title: string | null
  readonly location: string | null
  readonly clause: string | null
  readonly page: number | null
  readonly kind: string | null
  readonly normative: boolean
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
  readonly traces: readonly Trace[]
  readonly next: string | null
  /** Null if unknown, as for a search. */
  readonly total: number | null
  readonly tags: readonly string[]
  readonly notes: readonly string[]
}

export interface Trace {
  readonly id: string
  readonly title: string
  readonly status: 'pending' | 'validated'
  readonly flagged: boolean
  readonly tags: readonly string[]
  /** The beginning of the problem description. */
  readonly preview: string
  readonly trust: number
  readonly confirmations: number
  readonly retrievals: number
  readonly contributor: string
  readonly createdAt: string
  /** 0..1; null unless searched for. */
  readonly score: number | null
}

export interface TraceDetail extends Trace {
  readonly context: string
  readonly solution: string
  readonly agentModel: string | null
  readonly updatedAt: string
  /** Parts of the text that look like instructions to its reader; the author is not trusted. */
  readonly injectionFlags: readonly string[]
  readonly amendments: readonly Amendment[]
  readonly related: readonly {
    readonly id: string
    readonly title: string
    readonly relationship: string
  }[]
}

export interface Amendment {
  readonly id: string
  readonly status: 'proposed' | 'applied' | 'rejected'
  readonly explanation: string
  readonly improvedSolution: string
  readonly createdAt: string
}

export interface Moderation extends ActAs {
  /** `approve` dismisses reports and validates it; `flag` hides it; `remove` deletes it. */
  readonly action: 'approve' | 'flag' | 'remove'
  readonly reason?: string
}
