import { DocumentError } from '../document-error.ts'
import type { Block, KnowledgeDocument, RawDocument } from '../document.ts'
import { titleFromName } from '../title-from-name.ts'

/** A control word with its number, a hexadecimal byte, a control symbol, a brace, or text. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)/gi
/** Groups that hold no text of the document. */
const SILENT = new Set(
  'fonttbl colortbl stylesheet info pict object header footer headerl headerr footerl footerr listtable listoverridetable generator themedata datastore rsidtbl fldinst xmlnstbl latentstyles'.split(
    ' ',
  ),
)
const SIGNS = new Map(
  Object.entries({
    tab: '\t',
    line: '\n',
    emdash: '—',
    endash: '–',
    lquote: '‘',
    rquote: '’',
    ldblquote: '“',
    rdblquote: '”',
    bullet: '•',
    cell: '\t',
    '~': '\u00A0',
    // A hyphen that does not break; it is read as the hyphen that people search for.
    _: '-',
    '\\': '\\',
    '{': '{',
    '}': '}',
  }),
)

type Decoder = InstanceType<typeof TextDecoder>

interface Group {
  readonly silent: boolean
  /** The number of fallback characters after \uN, for readers that do not support it. */
  readonly fallback: number
}

/** Reads rich text: paragraphs with an outline level become headings. */
export async function readRtf({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const text = new TextDecoder('latin1').decode(bytes)
  if (!text.startsWith('{\\rtf')) {
    throw new DocumentError(
      'malformed',
      'The file is not RTF',
      'Open it in a word processor and save it again as .rtf.',
    )
  }
  const blocks = rtfBlocks(text)
  const heading = blocks.find((block) => block.kind === 'heading')
  return { title: heading?.text ?? titleFromName(name), format: 'rtf', blocks, properties: {} }
}

function rtfBlocks(text: string): Block[] {
  const reader = new RtfReader(/\\ansicpg(\d+)/.exec(text)?.[1] ?? '1252')
  for (const token of text.matchAll(TOKEN)) reader.take(token)
  return reader.finish()
}

class RtfReader {
  readonly #blocks: Block[] = []
  readonly #codePage: Decoder
  readonly #open: Group[] = []
  #group: Group = { silent: false, fallback: 1 }
  #text = ''
  #level: number | undefined
  #skip = 0

  constructor(codePage: string) {
    this.#codePage = decoderOf(codePage)
  }

  take([, word, number, hex, sign, brace, plain]: RegExpExecArray): void {
    if (brace) this.#brace(brace)
    else if (word) this.#word(word.toLowerCase(), number === undefined ? undefined : Number(number))
    else if (hex) this.#write(this.#codePage.decode(Uint8Array.of(Number.parseInt(hex, 16))))
    else if (sign === '*') this.#group = { ...this.#group, silent: true }
    // A line that ends with a backslash ends a paragraph.
    else if (sign === '\n' || sign === '\r') this.#paragraph()
    else if (sign) this.#write(SIGNS.get(sign) ?? '')
    else if (plain) this.#write(plain)
  }

  finish(): Block[] {
    this.#paragraph()
    return this.#blocks
  }

  #brace(brace: string): void {
    if (brace === '{') this.#open.push(this.#group)
    else this.#group = this.#open.pop() ?? this.#group
  }

  #word(word: string, number: number | undefined): void {
    if (SILENT.has(word)) this.#group = { ...this.#group, silent: true }
    else if (word === 'par' || word === 'sect' || word === 'row') this.#paragraph()
    else if (word === 'pard') this.#level = undefined
    else if (word === 'outlinelevel') this.#level = number
    else if (word === 'uc') this.#group = { ...this.#group, fallback: number ?? 1 }
    else if (word === 'u' && number !== undefined) {
      this.#write(String.fromCharCode((number + 65_536) % 65_536))
      this.#skip = this.#group.fallback
    } else this.#write(SIGNS.get(word) ?? '')
  }

  #write(text: string): void {
    if (this.#group.silent) return
    const kept = text.slice(this.#skip)
    this.#skip = Math.max(0, this.#skip - text.length)
    this.#text += kept
  }

  #paragraph(): void {
    const text = this.#text.replace(/[ \t]+/g, ' ').trim()
    this.#text = ''
    if (!text) return
    const level = this.#level
    if (level !== undefined && level < 6) {
      this.#blocks.push({ kind: 'heading', level: level + 1, text })
    } else this.#blocks.push({ kind: 'paragraph', text })
  }
}

/** Returns the decoder for a code page, or that of Windows-1252 for an unknown one. */
function decoderOf(codePage: string): Decoder {
  try {
    return new TextDecoder(`windows-${codePage}`)
  } catch {
    return new TextDecoder('windows-1252')
  }
}
