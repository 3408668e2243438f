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

/** Where the text of a group goes: into a paragraph, a note or the title. */
interface Target {
  text: string
}

interface Group {
  /** Undefined for a group without text of the document. */
  readonly target: Target | undefined
  readonly decoder: Decoder
  /** The number of fallback characters after \uN, for readers that do not support it. */
  readonly fallback: number
  /** The outline level of the paragraph, if it is a heading. */
  readonly level: number | undefined
}

/** Reads rich text: paragraphs with an outline level or the style of a heading become headings. */
export async function readRtf({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const text = new TextDecoder('latin1').decode(bytes)
  if (!text.startsWith('{\\rtf')) {
    throw new DocumentError(
      'malformed',
      'The file is not RTF',
      'Open it in a word processor and save it again as .rtf.',
    )
  }
  const { title, blocks } = new RtfReader(text).read()
  const heading = blocks.find((block) => block.kind === 'heading')
  return {
    title: title || (heading?.text ?? titleFromName(name)),
    format: 'rtf',
    blocks,
    properties: {},
  }
}

class RtfReader {
  readonly #source: string
  readonly #blocks: Block[] = []
  readonly #fonts: ReadonlyMap<number, Decoder>
  /** The outline levels of the styles of headings. */
  readonly #levels: ReadonlyMap<number, number>
  readonly #open: Group[] = []
  readonly #body: Target = { text: '' }
  readonly #title: Target = { text: '' }
  /** What words change until the end of their group. */
  readonly #changes = new Map<string, (number: number | undefined) => Partial<Group>>(
    Object.entries({
      title: () => ({ target: this.#title }),
      // The text of a note follows the word that it is about, also if the note is marked optional.
      footnote: () => ({ target: this.#open.at(-1)?.target && { text: '' } }),
      pard: () => ({ level: undefined }),
      s: (style = 0) => ({ level: this.#levels.get(style) }),
      outlinelevel: (level?: number) => ({ level }),
      uc: (fallback = 1) => ({ fallback }),
      f: (font = 0) => ({ decoder: this.#fonts.get(font) ?? this.#group.decoder }),
    }),
  )
  #group: Group
  #skip = 0

  constructor(source: string) {
    this.#source = source
    const decoder = decoderOf(/\\ansicpg(\d+)/.exec(source)?.[1] ?? '1252')
    this.#fonts = fontDecoders(source, decoder)
    this.#levels = headingLevels(source)
    this.#group = { target: this.#body, decoder, fallback: 1, level: undefined }
  }

  read(): { title: string; blocks: Block[] } {
    for (const token of this.#source.matchAll(TOKEN)) this.#take(token)
    // A file that was cut off leaves groups open.
    this.#group = { ...this.#group, target: this.#body }
    this.#paragraph()
    return { title: oneLine(this.#title.text), blocks: this.#blocks }
  }

  #take([, word, number, hex, sign, brace, plain]: RegExpExecArray): void {
    if (brace) this.#brace(brace)
    else if (word) this.#word(word.toLowerCase(), number === undefined ? undefined : Number(number))
    else if (hex) this.#bytes(Uint8Array.of(Number.parseInt(hex, 16)))
    else if (sign === '*') this.#group = { ...this.#group, target: undefined }
    // A line that ends with a backslash ends a paragraph.
    else if (sign === '\n' || sign === '\r') this.#paragraph()
    else if (sign) this.#sign(SIGNS.get(sign))
    else if (plain) this.#bytes(Buffer.from(plain, 'latin1'))
  }

  #brace(brace: string): void {
    this.#skip = 0
    if (brace === '{') {
      this.#open.push(this.#group)
      return
    }
    const { target } = this.#group
    this.#group = this.#open.pop() ?? this.#group
    const isNote = target && target !== this.#body && target !== this.#title
    if (isNote && target !== this.#group.target) this.#write(` ${oneLine(target.text)} `)
  }

  #word(word: string, number: number | undefined): void {
    const change = SILENT.has(word) ? { target: undefined } : this.#changes.get(word)?.(number)
    if (change) this.#group = { ...this.#group, ...change }
    else if (word === 'par' || word === 'sect' || word === 'row') this.#paragraph()
    else if (word === 'u' && number !== undefined) {
      this.#write(String.fromCharCode((number + 65_536) % 65_536))
      this.#skip = this.#group.fallback
    } else this.#sign(SIGNS.get(word))
  }

  /** Bytes of one character may come one by one, and those below 128 as plain text. */
  #bytes(bytes: Uint8Array): void {
    const kept = bytes.subarray(this.#skip)
    this.#skip = Math.max(0, this.#skip - bytes.length)
    if (kept.length > 0) this.#write(this.#group.decoder.decode(kept, { stream: true }))
  }

  #sign(text: string | undefined): void {
    if (text === undefined) return
    if (this.#skip > 0) this.#skip -= 1
    else this.#write(text)
  }

  #write(text: string): void {
    if (this.#group.target) this.#group.target.text += text
  }

  #paragraph(): void {
    if (this.#group.target !== this.#body) {
      this.#write(' ')
      return
    }
    const text = this.#body.text.replace(/[ \t]+/g, ' ').trim()
    this.#body.text = ''
    if (!text) return
    const { level } = this.#group
    if (level !== undefined && level < 6) {
      this.#blocks.push({ kind: 'heading', level: level + 1, text })
    } else this.#blocks.push({ kind: 'paragraph', text })
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Returns the levels of the styles that have one or are named as headings. */
function headingLevels(source: string): Map<number, number> {
  const levels = new Map<number, number>()
  for (const [, style, words = '', name] of source.matchAll(STYLE)) {
    const [, outline] = /\\outlinelevel(\d)/.exec(words) ?? []
    const level = outline ?? (name === undefined ? undefined : Number(name) - 1)
    if (level !== undefined) levels.set(Number(style), Number(level))
  }
  return levels
}

const STYLE = /\{\\s(\d+)([^{};]*?)(?:heading (\d))?;\}/gi

/** Returns the decoders of the fonts that are for a script of their own. */
function fontDecoders(source: string, usual: Decoder): Map<number, Decoder> {
  const fonts = new Map<number, Decoder>()
  for (const [, font, charset = ''] of source.matchAll(FONT)) {
    const codePage = CODE_PAGES[charset]
    fonts.set(Number(font), codePage === undefined ? usual : decoderOf(codePage))
  }
  return fonts
}

const FONT = /\{\\f(\d+)\\[^{};]*?\\fcharset(\d+)/g

const CODE_PAGES: Readonly<Record<string, string>> = {
  '128': '932',
  '129': '949',
  '134': '936',
  '136': '950',
  '161': '1253',
  '162': '1254',
  '177': '1255',
  '178': '1256',
  '186': '1257',
  '204': '1251',
  '222': '874',
  '238': '1250',
}

const ENCODINGS: Readonly<Record<string, string>> = {
  '932': 'shift_jis',
  '936': 'gbk',
  '949': 'euc-kr',
  '950': 'big5',
}

/** Returns the decoder for a code page, or that of Windows-1252 for an unknown one. */
function decoderOf(codePage: string): Decoder {
  try {
    return new TextDecoder(ENCODINGS[codePage] ?? `windows-${codePage}`)
  } catch {
    return new TextDecoder('windows-1252')
  }
}
