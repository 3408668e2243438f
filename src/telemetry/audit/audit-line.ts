import { z } from 'zod'
import type { RecordedCaller } from '../../identity/who-is.ts'

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
    reason: z.string().optional(),
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

/** Who made the call of an audit entry. */
export function callerOf(agent: string, { metadata }: AuditLine): RecordedCaller {
  const { on_behalf_of: ancestors, user, groups, client } = metadata
  return { agent, ancestors, user, groups, client }
}
