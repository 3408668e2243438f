import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { NewChunk } from '../../../storage/knowledge/chunks.ts'
import type { ChunkRow, SourceRow } from '../../../storage/tables/knowledge-tables.ts'
import type { Chunk, ChunkPart } from '../chunks/chunk.ts'
import { OBLIGATIONS } from '../documents/normative.ts'

/** A chunk read from the database, with its document. */
export interface StoredChunk extends Omit<Chunk, 'contentHash' | 'chunkType' | 'parent'> {
  readonly id: string
  readonly source: StoredSource
  readonly chunkType: string
  readonly parentId: string | null
}

export interface StoredSource {
  readonly id: string
  readonly collection: string
  readonly location: string
  readonly title: string
  readonly documentType: string
  readonly sourceType: string
  readonly authorityTier: string
  readonly standard: string | null
  readonly domain: string | null
  readonly version: string | null
  /** The printed page numbers, where they are not those of the file (`page-labels.ts`). */
  readonly pageLabels: string | null
}

const strings = z.array(z.string())
const numbers = z.array(z.number())
const parts = z.array(
  z.object({
    offset: z.number(),
    // Absent if it equals the path of the chunk, and in parts stored by earlier versions.
    path: strings.optional(),
    title: z.string(),
    clause: z.string().nullable(),
    page: z.number().nullable(),
    // Absent in parts stored by earlier versions.
    normative: z.boolean().nullable().optional(),
    obligation: z.enum(OBLIGATIONS).nullable().optional(),
  }),
)
type Whole = Pick<ChunkPart, 'path' | 'normative' | 'obligation'>
const UNKNOWN: Whole = { path: [], normative: null, obligation: null }
const fact = z.string().nullable().default(null)
const metadata = z
  .object({
    standard: fact,
    domain: fact,
    version: fact,
    properties: z.object({ pageLabels: fact }).catch({ pageLabels: null }),
  })
  .transform(({ properties, ...facts }) => ({ ...facts, ...properties }))
  .catch({ standard: null, domain: null, version: null, pageLabels: null })

export function toSource(row: SourceRow): StoredSource {
  return {
    id: row.id,
    collection: row.collection,
    location: row.location,
    title: row.title,
    documentType: row.document_type,
    sourceType: row.source_type,
    authorityTier: row.authority_tier,
    ...metadata.parse(JSON.parse(row.metadata_json)),
  }
}

export function toStoredChunk(row: ChunkRow, source: StoredSource): StoredChunk {
  const whole = {
    path: strings.parse(JSON.parse(row.section_path_json)),
    normative: row.normative === null ? null : row.normative === 1,
    obligation: z.enum(OBLIGATIONS).nullable().catch(null).parse(row.obligation),
  }
  return {
    id: row.id,
    source,
    ordinal: row.ordinal,
    content: row.content,
    leadLength: row.lead_length,
    tokenCount: row.token_count,
    sectionTitle: row.section_title,
    sectionPath: whole.path,
    clauseNumber: row.clause_number,
    parts: partsOf(row.parts_json, whole),
    chunkType: row.chunk_type,
    normative: whole.normative,
    obligation: whole.obligation,
    pages: numbers.parse(JSON.parse(row.pages_json)),
    references: strings.parse(JSON.parse(row.references_json)),
    parentId: row.parent_id,
  }
}

/** Parses the sections of a chunk; a missing field takes the value of the whole chunk. */
export function partsOf(json: string, whole: Whole = UNKNOWN): ChunkPart[] {
  return parts
    .parse(JSON.parse(json))
    .map(
      ({
        path = whole.path,
        normative = whole.normative,
        obligation = whole.obligation,
        ...part
      }) => ({ ...part, path, normative, obligation }),
    )
}

function toPartsJson({ parts: all, sectionPath }: Chunk): string {
  const own = sectionPath.join('\u0000')
  return JSON.stringify(
    all.map(({ path, ...part }) => (path.join('\u0000') === own ? part : { ...part, path })),
  )
}

export function toChunkRow(chunk: Chunk, sourceId: string, ids: readonly string[]): NewChunk {
  return {
    id: ids[chunk.ordinal] ?? chunkId(sourceId, chunk),
    source_id: sourceId,
    ordinal: chunk.ordinal,
    content: chunk.content,
    lead_length: chunk.leadLength,
    token_count: chunk.tokenCount,
    content_hash: chunk.contentHash,
    section_title: chunk.sectionTitle,
    section_path_json: JSON.stringify(chunk.sectionPath),
    clause_number: chunk.clauseNumber,
    parts_json: toPartsJson(chunk),
    chunk_type: chunk.chunkType,
    normative: chunk.normative === null ? null : Number(chunk.normative),
    obligation: chunk.obligation,
    pages_json: JSON.stringify(chunk.pages),
    references_json: JSON.stringify(chunk.references),
    parent_id: chunk.parent === null ? null : (ids[chunk.parent] ?? null),
  }
}

/** Returns the same id for the same text at the same position; a UUID (version 8) for Qdrant. */
export function chunkId(sourceId: string, { ordinal, contentHash }: Chunk): string {
  const hash = createHash('sha256').update(`${sourceId}/${ordinal}/${contentHash}`).digest('hex')
  const first = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `a${hash.slice(17, 20)}`,
  ]
  return [...first, hash.slice(20, 32)].join('-')
}

/** Returns the text to embed: the content with the document title and the section headings. */
export function embeddedText(title: string, chunk: Chunk): string {
  return [title, ...chunk.sectionPath.slice(-2), chunk.content.slice(chunk.leadLength)].join('\n')
}
