import { z } from 'zod'

/** What the pages read of the answers of tools, which may hold more. */

const codeIndex = z.object({
  name: z.string(),
  source_path: z.string(),
  updated_at: z.string(),
  file_count: z.number(),
})
export type CodeIndex = z.output<typeof codeIndex>

export const indexesAnswer = z.object({ result: z.array(codeIndex) })

const hit = z.object({
  file_path: z.string(),
  start_line: z.number(),
  end_line: z.number(),
  score: z.number(),
  content: z.string(),
  language_id: z.string().optional(),
  symbol_type: z.string().nullish(),
  symbol_name: z.string().nullish(),
  /** Where the words of the query are, if not in the first line. */
  match_line: z.number().optional(),
})
export type CodeHit = z.output<typeof hit>

/** A warning, advice, or what was searched. */
const note = z.object({
  type: z.string(),
  searching: z.string().optional(),
  warning: z.string().optional(),
  message: z.string().optional(),
})
export type CodeNote = z.output<typeof note> & { readonly [detail: string]: unknown }

const failure = z.object({ error: z.string(), message: z.string() })

export const searchAnswer = z.object({ result: z.array(z.union([hit, failure, note])) })
export type SearchItem = z.output<typeof searchAnswer>['result'][number]

export const indexingAnswer = z.object({
  success: z.boolean().optional(),
  error: z.string().optional(),
  message: z.string().optional(),
  index_name: z.string().optional(),
  total_files: z.number().optional(),
  stats: z.object({ files_added: z.number(), files_updated: z.number() }).optional(),
})
