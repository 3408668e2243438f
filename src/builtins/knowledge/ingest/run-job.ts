import { randomUUID } from 'node:crypto'
import { isInside } from '../../../base/files/paths.ts'
import { listSources } from '../../../storage/knowledge/sources.ts'
import type { SourceRow } from '../../../storage/tables/knowledge-tables.ts'
import { toKnowledgeError } from '../knowledge-error.ts'
import type { SkippedFile } from '../sources/list-files.ts'
import { isGone } from '../sources/walk-folder.ts'
import type { KnowledgeStore } from '../store/knowledge-store.ts'
import type { DocumentReader } from './document-reader.ts'
import { type TargetAccess, expandTarget } from './expand-target.ts'
import { type IngestOutcome, failedOutcome, ingestItem } from './ingest-item.ts'
import type { IngestOptions } from './ingest-options.ts'

export interface IngestTools {
  readonly store: KnowledgeStore
  readonly reader: DocumentReader
  readonly access: TargetAccess
}

export interface JobProgress {
  readonly done: number
  readonly failed: number
  readonly total: number
  readonly current: string
  /** How far the current document has been read, if it has pages. */
  readonly pages?: { readonly read: number; readonly total: number } | undefined
  /** The outcome of the document just finished; absent while a document is in progress. */
  readonly outcome?: IngestOutcome
}

export function placeOf({ current, pages }: Pick<JobProgress, 'current' | 'pages'>): string {
  return pages ? `${current}, page ${pages.read} of ${pages.total}` : current
}

export interface JobResult {
  readonly outcomes: readonly IngestOutcome[]
  /** Files of folders and repositories that are not documents. */
  readonly skipped: readonly SkippedFile[]
  /** Documents of a folder whose files no longer exist. */
  readonly removed: readonly RemovedDocument[]
}

type RemovedDocument = Pick<SourceRow, 'location' | 'title'>

export interface JobSupervision {
  /** Also aborts the current document. */
  readonly signal: AbortSignal
  /** Whether to stop before the next document. */
  stops(): boolean
  report(progress: JobProgress): Promise<void>
}

/** Ingests every document of every target, until it is stopped. */
export async function runJob(
  { targets, options }: { readonly targets: readonly string[]; readonly options: IngestOptions },
  tools: IngestTools,
  watch: JobSupervision,
): Promise<JobResult> {
  const outcomes: IngestOutcome[] = []
  const skipped: SkippedFile[] = []
  const removed: RemovedDocument[] = []
  let expected = 0

  async function report(
    current: string,
    more: Pick<JobProgress, 'outcome' | 'pages'> = {},
  ): Promise<void> {
    const failed = outcomes.filter(({ status }) => status === 'failed').length
    const begun = outcomes.length + (more.outcome ? 0 : 1)
    const total = Math.max(expected, begun)
    await watch.report({ done: outcomes.length, failed, total, current, ...more })
  }

  async function ingestTarget(target: string): Promise<void> {
    const expanded = await expandTarget(target, options, tools.access, tools.store)
    const { items, count = 0, close } = expanded
    expected += count
    // A title is that of one document; the documents of a folder or site keep their own.
    const own = count === 1 && targets.length === 1 ? options : { ...options, title: undefined }
    // One by one: a very long list cannot be spread into arguments.
    for (const file of expanded.skipped ?? []) skipped.push(file)
    try {
      for await (const item of items) {
        if (watch.stops()) return
        const { location } = item
        await report(location)
        const outcome = await ingestItem(item, own, tools, {
          signal: watch.signal,
          onPage: (read, total) => void report(location, { pages: { read, total } }),
        })
        outcomes.push(outcome)
        await report(location, { outcome })
      }
      // A folder without any document may be an unmounted disk, so nothing is removed then.
      if (expanded.folder && count > 0)
        removed.push(...(await removeGone(expanded.folder, options, tools)))
    } finally {
      await close?.()
    }
  }

  for (const target of targets) {
    try {
      await ingestTarget(target)
    } catch (cause) {
      if (watch.signal.aborted) break
      // A target that could not be opened counts as one failed document.
      const sourceId = randomUUID()
      const outcome = failedOutcome(target, toKnowledgeError(cause), { sourceId })
      outcomes.push(outcome)
      await report(target, { outcome })
    }
  }
  return { outcomes, skipped, removed }
}

/** Removes the documents of a folder whose files are gone, so that no answer cites them. */
async function removeGone(
  folder: string,
  { collection }: IngestOptions,
  { store }: IngestTools,
): Promise<RemovedDocument[]> {
  const removed: RemovedDocument[] = []
  for (const { id, location, title } of await listSources(store.storage.db, { collection })) {
    if (!isInside(location, folder) || !(await isGone(location))) continue
    await store.remove(id)
    removed.push({ location, title })
  }
  return removed
}
