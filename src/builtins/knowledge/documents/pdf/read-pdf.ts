import { DocumentError } from '../document-error.ts'
import type { KnowledgeDocument, PageWatch, RawDocument } from '../document.ts'
import { type PdfLine, type PdfTextItem, pageLines } from './pdf-lines.ts'
import { type PageLabels, formatPageLabels } from './page-labels.ts'
import { pdfBlocks } from './pdf-blocks.ts'
import { titleOf } from '../title-from-name.ts'

/** The part of PDF.js that is used here. */
interface Pdf {
  readonly numPages: number
  getPage(number: number): Promise<PdfPage>
  getMetadata(): Promise<{ readonly info: object }>
  getPageLabels(): Promise<PageLabels>
  destroy(): Promise<void>
}

interface PdfPage {
  getTextContent(): Promise<{
    readonly items: readonly object[]
    readonly styles: Readonly<Record<string, { readonly fontFamily: string }>>
  }>
  cleanup(): boolean
}

export async function readPdf(
  { name, bytes }: RawDocument,
  onPage?: PageWatch,
): Promise<KnowledgeDocument> {
  const pdf = await open(bytes)
  try {
    const pages: PdfLine[][] = []
    for (let number = 1; number <= pdf.numPages; number++) {
      pages.push(await readPage(pdf, number))
      onPage?.(number, pdf.numPages)
    }
    const emptyPages = pages.flatMap((lines, index) => (lines.length === 0 ? [index + 1] : []))
    if (emptyPages.length === pages.length) throw scanned(pages.length)
    const properties = await information(pdf)
    const pageLabels = formatPageLabels(await labelsOf(pdf))
    const blocks = pdfBlocks(pages)
    return {
      title: titleOf(name, blocks, properties['title']),
      blocks,
      pageCount: pages.length,
      properties: {
        ...properties,
        ...(pageLabels !== undefined && { pageLabels }),
        ...(emptyPages.length > 0 && { pagesWithoutText: emptyPages.join(',') }),
      },
    }
  } catch (error) {
    throw error instanceof DocumentError ? error : malformed(error)
  } finally {
    await pdf.destroy()
  }
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  const { getDocumentProxy } = await import('unpdf')
  try {
    // A copy, because PDF.js detaches the buffer; no logging, because it would go to stdout.
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 })
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') {
      throw new DocumentError(
        'encrypted',
        'The PDF needs a password to be opened',
        'Ingest a copy saved without a password.',
        { cause: error },
      )
    }
    throw malformed(error)
  }
}

async function readPage(pdf: Pdf, number: number): Promise<PdfLine[]> {
  const page = await pdf.getPage(number)
  const { items, styles } = await page.getTextContent()
  page.cleanup()
  const mono = (font: string) => styles[font]?.fontFamily === 'monospace'
  return pageLines(items.filter(isText), number, mono)
}

function isText(item: object): item is PdfTextItem {
  return 'str' in item
}

async function information(pdf: Pdf): Promise<Record<string, string>> {
  const { info } = await pdf.getMetadata()
  const known = { title: 'Title', author: 'Author', subject: 'Subject' } as const
  return Object.fromEntries(
    Object.entries(known).flatMap(([key, field]) => {
      const value: unknown = Reflect.get(info, field)
      return typeof value === 'string' && value.trim() ? [[key, value.trim()]] : []
    }),
  )
}

function scanned(pages: number): DocumentError {
  return new DocumentError(
    'scanned',
    `The PDF has ${pages} page${pages === 1 ? '' : 's'} but no text: it is a scan`,
    'Run text recognition (OCR) over it first, then ingest the result.',
  )
}

function malformed(cause: unknown): DocumentError {
  return new DocumentError(
    'malformed',
    'The PDF is damaged and cannot be read',
    'Open it in a PDF viewer and save or print it to a new PDF.',
    { cause },
  )
}

/** Damaged labels are no reason to refuse a document: its pages are then counted. */
async function labelsOf(pdf: Pdf): Promise<PageLabels> {
  return pdf.getPageLabels().catch(() => null)
}
