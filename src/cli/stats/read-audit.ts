import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { z } from 'zod'

const line = z.object({
  timestamp: z.string(),
  agent_id: z.string().nullable(),
  operation: z.string(),
  decision: z.enum(['ALLOW', 'DENY', 'ERROR', 'TIMEOUT']),
  latency_ms: z.number(),
  metadata: z.object({
    server: z.string().optional(),
    tool: z.string().optional(),
    outcome: z.string().optional(),
    is_error: z.boolean().optional(),
    cache: z.enum(['hit', 'miss']).optional(),
    token_count: z.number().optional(),
    tokens_saved: z.number().optional(),
  }),
})

export type AuditLine = z.output<typeof line>

export interface Range {
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly to: number
}

/** The lines of a time, oldest first, through all rotated files. What is no line of ours is counted. */
export async function* readAudit(
  path: string,
  { from, to }: Range,
  onStranger: () => void,
): AsyncGenerator<AuditLine> {
  for (const file of auditFiles(path)) {
    const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
    for await (const text of lines) {
      if (text === '') continue
      const parsed = parse(text)
      if (!parsed) onStranger()
      else {
        const at = Date.parse(parsed.timestamp)
        if (at >= from && at <= to) yield parsed
      }
    }
  }
}

/** `audit.jsonl.5` is older than `audit.jsonl.1`, and that than the file itself. */
export function auditFiles(path: string): string[] {
  const rotated: string[] = []
  for (let n = 1; existsSync(`${path}.${n}`); n++) rotated.unshift(`${path}.${n}`)
  return existsSync(path) ? [...rotated, path] : rotated
}

function parse(text: string): AuditLine | undefined {
  try {
    return line.parse(JSON.parse(text))
  } catch {
    return undefined // A line cut by a crash, or of another program.
  }
}
