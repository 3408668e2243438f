import { z } from 'zod'

const schema = z.object({
  timestamp: z.string(),
  agent_id: z.string().nullable(),
  operation: z.string(),
  decision: z.enum(['ALLOW', 'DENY', 'ERROR', 'TIMEOUT']),
  latency_ms: z.number(),
  metadata: z.object({
    on_behalf_of: z.array(z.string()).optional(),
    user: z.string().optional(),
    groups: z.array(z.string()).optional(),
    client: z.string().optional(),
    server: z.string().optional(),
    tool: z.string().optional(),
    outcome: z.string().optional(),
    rule: z.string().optional(),
    /** JSON, without secrets, cut where it is long. */
    arguments: z.string().optional(),
    is_error: z.boolean().optional(),
    cache: z.enum(['hit', 'miss']).optional(),
    token_count: z.number().optional(),
    tokens_saved: z.number().optional(),
  }),
})

/** The fields of an audit entry that the commands read. */
export type AuditLine = z.output<typeof schema>

export function toAuditLine(entry: unknown): AuditLine | undefined {
  return schema.safeParse(entry).data
}
