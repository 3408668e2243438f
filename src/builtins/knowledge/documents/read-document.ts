import { DocumentError } from './document-error.ts'
import type { KnowledgeDocument, PageWatch, RawDocument } from './document.ts'
import { type DocumentFormat, EXTENSIONS, formatOfName, loadReader } from './formats.ts'

const MAX_DOCUMENT_BYTES = 200 * 1024 * 1024

/** Reads a document of a known format; throws if it contains no text. */
export async function readDocument(
  raw: RawDocument,
  format: DocumentFormat | undefined = formatOfName(raw.name),
  onPage?: PageWatch,
): Promise<KnowledgeDocument & { readonly format: DocumentFormat }> {
  if (!format) {
    throw new DocumentError(
      'unsupported',
      `No reader for ${raw.name}`,
      `Supported: ${EXTENSIONS.map((extension) => `.${extension}`).join(' ')}`,
    )
  }
  if (raw.bytes.byteLength > MAX_DOCUMENT_BYTES) {
    throw new DocumentError(
      'too_large',
      `${raw.name} is larger than ${MAX_DOCUMENT_BYTES / 1024 / 1024} MB`,
      'Split the document into parts.',
    )
  }
  const read = await loadReader(format)
  const document = await read(raw, onPage).catch((error: unknown) => {
    throw error instanceof DocumentError ? error : unreadable(raw.name, error)
  })
  if (document.blocks.length === 0) {
    throw new DocumentError(
      'empty',
      `${raw.name} contains no text`,
      'Check that it is the right file.',
    )
  }
  return { ...document, format }
}

/** Wraps an error that no reader expected: endless nesting, impossible numbers, invalid bytes. */
function unreadable(name: string, cause: unknown): DocumentError {
  const why = cause instanceof RangeError ? 'it is nested too deeply' : String(cause)
  return new DocumentError(
    'malformed',
    `${name} cannot be read: ${why}`,
    'Open it in the program it was made with and save it again.',
    { cause },
  )
}
