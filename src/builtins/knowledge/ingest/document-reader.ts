import { type Chunk, type CountTokens } from '../chunks/chunk.ts'
import { chunkDocument } from '../chunks/chunk-document.ts'
import type { PageWatch } from '../documents/document.ts'
import type { DocumentFormat } from '../documents/formats.ts'
import { readDocument } from '../documents/read-document.ts'
import type { LoadedItem } from '../sources/source-item.ts'
import { type Description, describeDocument } from './describe-document.ts'
import type { IngestOptions } from './ingest-options.ts'

/** The bytes of a document and its location. */
export interface ReadRequest extends Pick<LoadedItem, 'name' | 'bytes' | 'format'> {
  readonly location: string
  readonly options: IngestOptions
}

/** A document ready to be stored. */
export interface ReadDocument {
  readonly description: Description
  readonly format: DocumentFormat
  readonly pageCount: number | null
  readonly chunks: readonly Chunk[]
}

export interface ReadWatch {
  readonly signal?: AbortSignal | undefined
  readonly onPage?: PageWatch | undefined
}

/** Reads documents and splits them into chunks, in this process or in one of its own. */
export interface DocumentReader {
  read(request: ReadRequest, watch?: ReadWatch): Promise<ReadDocument>
  close(): Promise<void>
}

export function createDocumentReader(countTokens: CountTokens): DocumentReader {
  return {
    async read(request, { onPage } = {}) {
      const document = await readDocument(request, request.format, onPage)
      const description = describeDocument(document, request.location, request.options)
      return {
        description,
        format: document.format,
        pageCount: document.pageCount ?? null,
        chunks: chunkDocument(document, countTokens, {
          isStandard: isStandard(request, description),
        }),
      }
    },
    close: async () => {},
  }
}

/** Whether lower-case keywords may be binding in a document, however rare they are. */
function isStandard({ options }: ReadRequest, { documentType }: Description): boolean {
  return (
    options.sourceType === 'standard' ||
    documentType === 'standard' ||
    documentType === 'specification'
  )
}
