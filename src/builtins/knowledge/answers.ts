import { z } from 'zod'

/** What the pages read of the answers of tools, which may hold more. */

const problem = z.object({ message: z.string(), suggestion: z.string().nullish() })

const source = z.object({
  id: z.string(),
  url: z.string(),
  title: z.string(),
  status: z.enum(['pending', 'ingesting', 'complete', 'failed']),
  collection: z.string(),
  format: z.string().nullable(),
  chunk_count: z.number(),
  word_count: z.number(),
  updated_at: z.string(),
  error: problem.optional(),
})
export type Source = z.output<typeof source>

export const sourcesAnswer = z.object({ sources: z.array(source), total: z.number() })

const passage = z.object({
  content: z.string(),
  score: z.number(),
  /** Title, clause and page in one line. */
  citation: z.string(),
  normative: z.boolean().nullish(),
  /** Whether only the beginning of its text is shown. */
  truncated: z.boolean().optional(),
  metadata: z
    .object({ chunk_id: z.string(), url: z.string().optional(), chunk_type: z.string().optional() })
    .optional(),
})
export type Passage = z.output<typeof passage>

export const searchAnswer = z.object({
  results: z.array(passage),
  message: z.string().optional(),
  suggestions: z.array(z.string()).optional(),
})

const readPassage = z.object({
  chunk_id: z.string(),
  position: z.number(),
  section_title: z.string().nullish(),
  citation: z.string(),
  content: z.string(),
})
/** A passage in its document. */
export type ReadPassage = z.output<typeof readPassage>

export const readAnswer = z.object({
  results: z.array(readPassage.extend({ neighbours: z.array(readPassage).optional() })),
  message: z.string().optional(),
})

export const deleteAnswer = z.object({ deleted: z.number(), message: z.string() })

const job = z.object({
  job_id: z.string(),
  targets: z.array(z.string()),
  status: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']),
  done: z.number(),
  /** 0 while it is not known. */
  total: z.number(),
  current: z.string().nullable(),
  /** Each with the file or page that it is about. */
  errors: z.array(problem.extend({ location: z.string().nullish() })),
  created_at: z.string(),
  updated_at: z.string(),
})
/** Background work, such as ingesting documents. */
export type Job = z.output<typeof job>

/** The latest jobs, or the one that was asked for. */
export const jobsAnswer = z.union([z.object({ jobs: z.array(job) }), job])

export const ingestAnswer = z.object({ job_id: z.string() })

export const statsAnswer = z.object({
  documents: z.number(),
  total_chunks: z.number(),
  total_tokens: z.number(),
  config: z.object({ embedding_model: z.string().nullable() }),
})

export const collectionsAnswer = z.object({ collections: z.array(z.object({ name: z.string() })) })
