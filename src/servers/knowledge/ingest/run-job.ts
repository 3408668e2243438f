import { randomUUID } from 'node:crypto'
import type { CountTokens } from '../chunks/chunk.ts'
import { toKnowledgeError } from '../knowledge-error.ts'
import type { KnowledgeStore } from '../store/knowledge-store.ts'
import { type TargetAccess, expandTarget } from './expand-target.ts'
import { type IngestOutcome, ingestItem } from './ingest-item.ts'
import type { IngestOptions } from './ingest-options.ts'

export interface IngestTools {
  readonly store: KnowledgeStore
  readonly countTokens: CountTokens
  readonly access: TargetAccess
}

export interface JobProgress {
  readonly done: number
  readonly failed: number
  readonly total: number
  readonly current: string
  /** Of the document just finished; absent while one is begun. */
  readonly outcome?: IngestOutcome
}

/** Takes in every document of every target; stops between two documents when told to. */
export async function runJob(
  { targets, options }: { readonly targets: readonly string[]; readonly options: IngestOptions },
  tools: IngestTools,
  watch: { stops(): boolean; report(progress: JobProgress): Promise<void> },
): Promise<IngestOutcome[]> {
  const outcomes: IngestOutcome[] = []
  let expected = 0

  async function report(current: string, outcome?: IngestOutcome): Promise<void> {
    const failed = outcomes.filter(({ status }) => status === 'failed').length
    const begun = outcomes.length + (outcome ? 0 : 1)
    const total = Math.max(expected, begun)
    await watch.report({
      done: outcomes.length,
      failed,
      total,
      current,
      ...(outcome && { outcome }),
    })
  }

  async function take(target: string): Promise<void> {
    const {
      items,
      count = 0,
      close,
    } = await expandTarget(target, options, tools.access, tools.store)
    expected += count
    try {
      for await (const item of items) {
        if (watch.stops()) return
        await report(item.location)
        const outcome = await ingestItem(item, options, tools)
        outcomes.push(outcome)
        await report(item.location, outcome)
      }
    } finally {
      await close?.()
    }
  }

  for (const target of targets) {
    try {
      await take(target)
    } catch (cause) {
      const outcome = failedTarget(target, cause)
      outcomes.push(outcome)
      await report(target, outcome)
    }
  }
  return outcomes
}

/** A target that could not even be opened counts as one failed document. */
function failedTarget(target: string, cause: unknown): IngestOutcome {
  const error = toKnowledgeError(cause)
  return {
    location: target,
    sourceId: randomUUID(),
    status: 'failed',
    title: target,
    chunks: 0,
    words: 0,
    error,
  }
}
