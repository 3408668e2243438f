import { z } from 'zod'

/** What the pages read of the answers of the service, which may be older or newer than this. */

const trace = z.object({
  id: z.string(),
  title: z.string(),
  status: z.enum(['pending', 'validated']).catch('pending'),
  is_flagged: z.boolean().default(false),
  tags: z.array(z.string()).default([]),
  context_text: z.string(),
  trust_score: z.number().default(0),
  confirmation_count: z.number().default(0),
  retrieval_count: z.number().default(0),
  contributor_name: z.string().default(''),
  created_at: z.string(),
  /** 0..1; only of a search. */
  combined_score: z.number().optional(),
  /** Set if it is merely the nearest that a search found. */
  weak: z.boolean().optional(),
})
export type Trace = z.output<typeof trace>

export const traceAnswer = trace.extend({
  solution_text: z.string(),
  agent_model: z.string().nullish(),
  /** Parts of the text that look like instructions to its reader; the author is not trusted. */
  injection_flags: z.array(z.string()).default([]),
  amendments: z
    .array(
      z.object({
        id: z.string(),
        status: z.enum(['proposed', 'applied', 'rejected']).catch('proposed'),
        explanation: z.string(),
        improved_solution: z.string(),
        created_at: z.string(),
      }),
    )
    .default([]),
  related_traces: z
    .array(z.object({ id: z.string(), title: z.string(), relationship_type: z.string() }))
    .default([]),
})
export type TraceDetail = z.output<typeof traceAnswer>

export const searchAnswer = z.object({ results: z.array(trace), degraded: z.boolean().optional() })
export const browseAnswer = z.object({ traces: z.array(trace), total: z.number() })
export const flaggedAnswer = z.object({ list: z.array(trace) })
export const tagsAnswer = z.object({ tags: z.array(z.string()) })

/** What the tools answer instead, because they never fail. */
export const troubleAnswer = z.object({
  degraded: z.boolean().optional(),
  reason: z.string().optional(),
  error: z.looseObject({ status: z.number(), detail: z.string() }).optional(),
})
