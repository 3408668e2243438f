import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { TracesConnection } from './connect-traces.ts'

const item = z.looseObject({
  title: z.string(),
  context_text: z.string().optional(),
  context: z.string().optional(),
  solution_text: z.string().optional(),
  solution: z.string().optional(),
  tags: z.array(z.string()).default([]),
})

export interface ImportSummary {
  readonly imported: number
  /** Traces that already exist; importing twice changes nothing. */
  readonly present: number
  readonly refused: readonly { readonly title: string; readonly reason: string }[]
}

/** Parses a JSON list or one JSON object per line; also accepts `context` and `solution`. */
function parseTraces(text: string): z.output<typeof item>[] {
  const source: unknown = text.trimStart().startsWith('[')
    ? JSON.parse(text)
    : text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line): unknown => JSON.parse(line))
  return z.array(item).parse(source)
}

export async function importTraces(
  connection: TracesConnection,
  path: string,
): Promise<ImportSummary> {
  const traces = parseTraces(await readFile(path, 'utf8'))
  let [imported, present] = [0, 0]
  const refused: { title: string; reason: string }[] = []
  for (const { context, solution, ...trace } of traces) {
    const { status, body } = await patiently(async () =>
      connection.request('POST', '/traces', {
        ...trace,
        context_text: trace.context_text ?? context,
        solution_text: trace.solution_text ?? solution,
      }),
    )
    if (status < 300) imported += 1
    else if (status === 409) present += 1
    else refused.push({ title: trace.title, reason: String(body['detail']) })
  }
  return { imported, present, refused }
}

/** Retries after the rate limit, which a long import reaches, when the answer says so. */
async function patiently<T extends { status: number; body: Record<string, unknown> }>(
  send: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const answer = await send()
    if (answer.status !== 429) return answer
    const seconds = Number(answer.body['retry_after_seconds'] ?? 1)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  }
}
