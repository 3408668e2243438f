import { DocumentError } from './document-error.ts'
import type { DocumentFormat, KnowledgeDocument, PageWatch, RawDocument } from './document.ts'
import { withoutQuery } from './title-from-name.ts'

type Reader = (raw: RawDocument, onPage?: PageWatch) => Promise<KnowledgeDocument>

/** The readers; each is loaded for the first document of its format. */
const READERS: Readonly<Record<DocumentFormat, Reader>> = {
  markdown: async (raw) => (await import('./text/read-markdown.ts')).readMarkdown(raw),
  html: async (raw) => (await import('./html/read-html.ts')).readHtml(raw),
  text: async (raw) => (await import('./text/read-text.ts')).readText(raw),
  pdf: async (raw, onPage) => (await import('./pdf/read-pdf.ts')).readPdf(raw, onPage),
  docx: async (raw) => (await import('./docx/read-docx.ts')).readDocx(raw),
  odt: async (raw) => (await import('./office/read-odt.ts')).readOdt(raw),
  rtf: async (raw) => (await import('./office/read-rtf.ts')).readRtf(raw),
  pptx: async (raw) => (await import('./office/read-pptx.ts')).readPptx(raw),
  odp: async (raw) => (await import('./office/read-odp.ts')).readOdp(raw),
  xlsx: async (raw) => (await import('./office/read-xlsx.ts')).readXlsx(raw),
  ods: async (raw) => (await import('./office/read-ods.ts')).readOds(raw),
  asciidoc: async (raw) => (await import('./text/read-asciidoc.ts')).readAsciidoc(raw),
  csv: async (raw) => (await import('./text/read-csv.ts')).readCsv(raw),
  epub: async (raw) => (await import('./html/read-epub.ts')).readEpub(raw),
  notebook: async (raw) => (await import('./text/read-notebook.ts')).readNotebook(raw),
}

const BY_EXTENSION: Readonly<Record<string, DocumentFormat>> = {
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'markdown',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  txt: 'text',
  text: 'text',
  rst: 'text',
  adoc: 'asciidoc',
  asciidoc: 'asciidoc',
  csv: 'csv',
  tsv: 'csv',
  pdf: 'pdf',
  docx: 'docx',
  docm: 'docx',
  dotx: 'docx',
  odt: 'odt',
  ott: 'odt',
  rtf: 'rtf',
  pptx: 'pptx',
  pptm: 'pptx',
  ppsx: 'pptx',
  odp: 'odp',
  otp: 'odp',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  ods: 'ods',
  epub: 'epub',
  ipynb: 'notebook',
}

const BY_MEDIA_TYPE: Readonly<Record<string, DocumentFormat>> = {
  'text/markdown': 'markdown',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/plain': 'text',
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.oasis.opendocument.presentation': 'odp',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/rtf': 'rtf',
  'text/rtf': 'rtf',
  'text/csv': 'csv',
  'application/epub+zip': 'epub',
  'application/x-ipynb+json': 'notebook',
}

const MAX_DOCUMENT_BYTES = 200 * 1024 * 1024

/** Names of text files without an extension. */
const BY_NAME = /(?:^|[/\\])(?:readme|install|news|changes|changelog|contributing|faq|todo)$/i

export function formatOfName(name: string): DocumentFormat | undefined {
  const path = withoutQuery(name)
  if (BY_NAME.test(path)) return 'text'
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase()
  return extension ? BY_EXTENSION[extension] : undefined
}

export function formatOfMediaType(type: string): DocumentFormat | undefined {
  return BY_MEDIA_TYPE[type.split(';')[0]?.trim().toLowerCase() ?? '']
}

/** Reads a document of a known format; throws if it contains no text. */
export async function readDocument(
  raw: RawDocument,
  format: DocumentFormat | undefined = formatOfName(raw.name),
  onPage?: PageWatch,
): Promise<KnowledgeDocument> {
  if (!format) {
    throw new DocumentError(
      'unsupported',
      `No reader for ${raw.name}`,
      `Supported: ${Object.keys(BY_EXTENSION)
        .map((extension) => `.${extension}`)
        .join(' ')}`,
    )
  }
  if (raw.bytes.byteLength > MAX_DOCUMENT_BYTES) {
    throw new DocumentError(
      'too_large',
      `${raw.name} is larger than ${MAX_DOCUMENT_BYTES / 1024 / 1024} MB`,
      'Split the document into parts.',
    )
  }
  const document = await READERS[format](raw, onPage).catch((error: unknown) => {
    throw error instanceof DocumentError ? error : unreadable(raw.name, error)
  })
  if (document.blocks.length === 0) {
    throw new DocumentError(
      'empty',
      `${raw.name} contains no text`,
      'Check that it is the right file.',
    )
  }
  return document
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
