import type { KnowledgeDocument, PageWatch, RawDocument } from './document.ts'
import { withoutQuery } from './title-from-name.ts'

type Reader = (raw: RawDocument, onPage?: PageWatch) => Promise<KnowledgeDocument>

interface Format {
  readonly extensions: readonly string[]
  readonly mediaTypes?: readonly string[]
  /** Loads the reader, for the first document of the format. */
  readonly load: () => Promise<Reader>
}

/** Everything that the knowledge base can read: a new format is one entry and one file. */
const FORMATS = {
  markdown: {
    extensions: ['md', 'markdown', 'mdx'],
    mediaTypes: ['text/markdown'],
    load: async () => (await import('./text/read-markdown.ts')).readMarkdown,
  },
  html: {
    extensions: ['html', 'htm', 'xhtml'],
    mediaTypes: ['text/html', 'application/xhtml+xml'],
    load: async () => (await import('./html/read-html.ts')).readHtml,
  },
  text: {
    extensions: ['txt', 'text', 'rst'],
    mediaTypes: ['text/plain'],
    load: async () => (await import('./text/read-text.ts')).readText,
  },
  pdf: {
    extensions: ['pdf'],
    mediaTypes: ['application/pdf'],
    load: async () => (await import('./pdf/read-pdf.ts')).readPdf,
  },
  docx: {
    extensions: ['docx', 'docm', 'dotx'],
    mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    load: async () => (await import('./docx/read-docx.ts')).readDocx,
  },
  odt: {
    extensions: ['odt', 'ott'],
    mediaTypes: ['application/vnd.oasis.opendocument.text'],
    load: async () => (await import('./office/read-odt.ts')).readOdt,
  },
  rtf: {
    extensions: ['rtf'],
    mediaTypes: ['application/rtf', 'text/rtf'],
    load: async () => (await import('./office/read-rtf.ts')).readRtf,
  },
  pptx: {
    extensions: ['pptx', 'pptm', 'ppsx'],
    mediaTypes: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    load: async () => (await import('./office/read-pptx.ts')).readPptx,
  },
  odp: {
    extensions: ['odp', 'otp'],
    mediaTypes: ['application/vnd.oasis.opendocument.presentation'],
    load: async () => (await import('./office/read-odp.ts')).readOdp,
  },
  xlsx: {
    extensions: ['xlsx', 'xlsm'],
    mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    load: async () => (await import('./office/read-xlsx.ts')).readXlsx,
  },
  ods: {
    extensions: ['ods'],
    mediaTypes: ['application/vnd.oasis.opendocument.spreadsheet'],
    load: async () => (await import('./office/read-ods.ts')).readOds,
  },
  asciidoc: {
    extensions: ['adoc', 'asciidoc'],
    load: async () => (await import('./text/read-asciidoc.ts')).readAsciidoc,
  },
  csv: {
    extensions: ['csv', 'tsv'],
    mediaTypes: ['text/csv'],
    load: async () => (await import('./text/read-csv.ts')).readCsv,
  },
  epub: {
    extensions: ['epub'],
    mediaTypes: ['application/epub+zip'],
    load: async () => (await import('./html/read-epub.ts')).readEpub,
  },
  notebook: {
    extensions: ['ipynb'],
    mediaTypes: ['application/x-ipynb+json'],
    load: async () => (await import('./text/read-notebook.ts')).readNotebook,
  },
} satisfies Record<string, Format>

export type DocumentFormat = keyof typeof FORMATS

const BY_EXTENSION = index(({ extensions }) => extensions)
const BY_MEDIA_TYPE = index(({ mediaTypes = [] }) => mediaTypes)

/** Names of text files without an extension. */
const BY_NAME = /(?:^|[/\\])(?:readme|install|news|changes|changelog|contributing|faq|todo)$/i

export const EXTENSIONS: readonly string[] = [...BY_EXTENSION.keys()]

export function formatOfName(name: string): DocumentFormat | undefined {
  const path = withoutQuery(name)
  if (BY_NAME.test(path)) return 'text'
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase()
  return extension === undefined ? undefined : BY_EXTENSION.get(extension)
}

export function formatOfMediaType(type: string): DocumentFormat | undefined {
  return BY_MEDIA_TYPE.get(type.split(';')[0]?.trim().toLowerCase() ?? '')
}

export async function loadReader(format: DocumentFormat): Promise<Reader> {
  return FORMATS[format].load()
}

function index(keysOf: (format: Format) => readonly string[]): Map<string, DocumentFormat> {
  const names = Object.keys(FORMATS).filter(isFormat)
  return new Map(names.flatMap((name) => keysOf(FORMATS[name]).map((key) => [key, name])))
}

function isFormat(name: string): name is DocumentFormat {
  return Object.hasOwn(FORMATS, name)
}
