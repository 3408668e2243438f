import { createHash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { untilAborted } from '../../../base/flow/time.ts'
import {
  type NewSource,
  findSourceAt,
  findSourceByContent,
  saveSource,
  touchSource,
} from '../../../storage/knowledge/sources.ts'
import type { SourceRow } from '../../../storage/tables/knowledge-tables.ts'
import { type KnowledgeError, toKnowledgeError } from '../knowledge-error.ts'
import type { LoadedItem, SourceItem } from '../sources/source-item.ts'
import { isGone } from '../sources/walk-folder.ts'
import type { KnowledgeStore } from '../store/knowledge-store.ts'
import type { DocumentReader, ReadDocument, ReadWatch } from './document-reader.ts'
import type { IngestOptions } from './ingest-options.ts'

export interface IngestOutcome {
  readonly location: string
  readonly sourceId: string
  readonly status: 'stored' | 'unchanged' | 'duplicate' | 'failed'
  readonly title: string
  readonly chunks: number
  readonly words: number
  readonly error?: KnowledgeError
}

interface Attempt {
  readonly item: SourceItem
  readonly options: IngestOptions
  readonly store: KnowledgeStore
  readonly reader: DocumentReader
  readonly watch: ReadWatch
  readonly id: string
  /** The row of this location, deleted or not. */
  readonly before: SourceRow | undefined
  /** The same row if its document can be searched. */
  readonly current: SourceRow | undefined
  /** Whether the current model has no vectors of it, so that it is ingested though unchanged. */
  readonly lacksVectors: boolean
}

/**
 * Ingests one document, completely or not at all; a failure is reported and does not stop the
 * others. Throws only when it is cancelled, and then stores nothing.
 */
export async function ingestItem(
  item: SourceItem,
  options: IngestOptions,
  { store, reader }: { readonly store: KnowledgeStore; readonly reader: DocumentReader },
  watch: ReadWatch,
): Promise<IngestOutcome> {
  const before = await findSourceAt(store.storage.db, options.collection, item.location)
  const current = before?.deleted === 0 && before.status === 'complete' ? before : undefined
  const id = before?.id ?? randomUUID()
  const lacksVectors = current !== undefined && !(await store.isEmbedded(current.id))
  const parts = { item, options, store, reader, watch }
  const attempt: Attempt = { ...parts, id, before, current, lacksVectors }
  try {
    return await attend(attempt)
  } catch (cause) {
    if (!watch.signal?.aborted) return fail(attempt, toKnowledgeError(cause))
    if (!current) await store.remove(id)
    throw cause
  }
}

async function attend(attempt: Attempt): Promise<IngestOutcome> {
  const loaded = await load(attempt)
  if (loaded === 'unchanged') return unchanged(attempt)
  const contentHash = hashOf(loaded)
  if (isSame(attempt, contentHash)) return unchanged(attempt, { etag: loaded.etag ?? null })
  const twin = await twinOf(attempt, contentHash)
  if (twin && (await stillHolds(twin, contentHash))) {
    return { ...described(twin, 'duplicate'), location: attempt.item.location }
  }
  const outcome = await take(attempt, loaded, contentHash)
  // The twin's file was renamed or moved to this location.
  if (twin && (await isGone(twin.location))) await attempt.store.remove(twin.id)
  return outcome
}

/** Whether a file still has the content that is stored of it; a page is not asked again. */
async function stillHolds({ location }: SourceRow, contentHash: string): Promise<boolean> {
  if (!isAbsolute(location)) return true
  const bytes = await readFile(location).catch(() => undefined)
  return bytes !== undefined && hashOf({ bytes }) === contentHash
}

async function load({ item, current, lacksVectors, watch: { signal } }: Attempt) {
  const loading = item.load(current && !lacksVectors ? validatorsOf(current) : {})
  return signal ? untilAborted(loading, signal) : loading
}

async function unchanged(
  { current, item, store }: Attempt,
  change: { readonly etag?: string | null } = {},
): Promise<IngestOutcome> {
  if (!current) throw new Error(`${item.location} is unknown, yet called unchanged`)
  const now = { error_json: null, crawled_at: Date.now() }
  await touchSource(store.storage.db, current.id, { ...change, ...now })
  return described(current, 'unchanged')
}

/** Finds the same document at another location. */
async function twinOf(
  { options, store, id }: Attempt,
  contentHash: string,
): Promise<SourceRow | undefined> {
  const twin = await findSourceByContent(store.storage.db, options.collection, contentHash)
  return twin?.id === id ? undefined : twin
}

async function take(
  attempt: Attempt,
  loaded: LoadedItem,
  contentHash: string,
): Promise<IngestOutcome> {
  const { store, item, options, reader, watch } = attempt
  const { location } = item
  if (!attempt.current) await saveSource(store.storage.db, started(attempt))
  const document = await reader.read({ ...loaded, location, options }, watch)
  const { chunks } = document
  const source = {
    ...finished(started(attempt), document, loaded),
    content_hash: contentHash,
    chunk_count: chunks.length,
  }
  await store.put(source, chunks)
  return described(source, 'stored')
}

function started({ id, item, options, before }: Attempt): NewSource {
  const now = Date.now()
  return {
    id,
    collection: options.collection,
    location: item.location,
    title: options.title ?? item.location,
    // A path cannot be a web page, whatever is requested.
    source_type: options.sourceType === 'standard' ? 'standard' : item.sourceType,
    authority_tier: options.authorityTier,
    document_type: options.documentType ?? 'custom',
    status: 'ingesting',
    format: null,
    reason: options.reason ?? null,
    error_json: null,
    content_hash: null,
    etag: null,
    last_modified: null,
    word_count: 0,
    page_count: null,
    chunk_count: 0,
    metadata_json: '{}',
    created_at: before?.created_at ?? now,
    updated_at: now,
    crawled_at: null,
  }
}

function finished(
  source: NewSource,
  { description, format, pageCount }: ReadDocument,
  loaded: LoadedItem,
): NewSource {
  const { title, documentType, wordCount, metadata } = description
  return {
    ...source,
    title,
    document_type: documentType,
    status: 'complete',
    format,
    etag: loaded.etag ?? null,
    last_modified: loaded.lastModified ?? null,
    word_count: wordCount,
    page_count: pageCount,
    metadata_json: JSON.stringify(metadata),
    crawled_at: source.updated_at,
  }
}

function validatorsOf(source: SourceRow) {
  return { etag: source.etag ?? undefined, lastModified: source.last_modified ?? undefined }
}

function hashOf({ bytes }: Pick<LoadedItem, 'bytes'>): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Whether nothing changed; the same bytes with another title, type or tier are ingested again. */
function isSame({ current, lacksVectors, options }: Attempt, contentHash: string): boolean {
  return (
    current?.content_hash === contentHash &&
    !lacksVectors &&
    current.authority_tier === options.authorityTier &&
    (options.title === undefined || options.title === current.title) &&
    (options.documentType === undefined || options.documentType === current.document_type)
  )
}

function described(source: NewSource, status: IngestOutcome['status']): IngestOutcome {
  return {
    location: source.location,
    sourceId: source.id,
    status,
    title: source.title,
    chunks: source.chunk_count,
    words: source.word_count,
  }
}

async function fail(attempt: Attempt, error: KnowledgeError): Promise<IngestOutcome> {
  const { store, id, item, before } = attempt
  const { code, message, suggestion } = error
  const error_json = JSON.stringify({ code, message, suggestion })
  const { db } = store.storage
  // The stored version stays searchable; the failure is recorded with it.
  if (attempt.current) await touchSource(db, id, { error_json, updated_at: Date.now() })
  else await saveSource(db, { ...started(attempt), status: 'failed', error_json })
  return failedOutcome(item.location, error, { sourceId: id, title: before?.title })
}

export function failedOutcome(
  location: string,
  error: KnowledgeError,
  {
    sourceId,
    title = location,
  }: { readonly sourceId: string; readonly title?: string | undefined },
): IngestOutcome {
  return { location, sourceId, status: 'failed', title, chunks: 0, words: 0, error }
}
