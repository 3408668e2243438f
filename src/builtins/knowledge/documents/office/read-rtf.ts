import { incomplete } from '../document-error.ts'
import {
  type Block,
  type KnowledgeDocument,
  type RawDocument,
  codeBlock,
  toTable,
} from '../document.ts'
import { type Decoder, type Style, decoderOf, fontDecoders, stylesOf } from './rtf-header.ts'
import { titleOf } from '../title-from-name.ts'

/** A control word with its number, a hexadecimal byte, a control symbol, a brace, or text. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)/gi
/** Groups that hold no text of the document. */
const SILENT = new Set(
  'fonttbl colortbl stylesheet info pict object header footer headerl headerr footerl footerr listtable listoverridetable generator themedata datastore rsidtbl xmlnstbl latentstyles'.split(
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
    nestcell: '\t',
    '~': '\u00A0',
    // A hyphen that does not break; it is read as the hyphen that people search for.
    _: '-',
    '\\': '\\',
    '{': '{',
    '}': '}',
  }),
)

/** Where the text of a group goes: into a paragraph, its label, a note or the title. */
interface Target {
  text: string
}

interface Group extends Style {
  /** Undefined for a group without text of the document. */
  readonly target: Target | undefined
  readonly decoder: Decoder
  /** The number of fallback characters after \uN, for readers that do not support it. */
  readonly fallback: number
  readonly isInTable: boolean
  /** How deep the paragraph is in a list. */
  readonly depth: number
}

const PLAIN = { level: undefined, isCode: false, isContents: false, isInTable: false, depth: 0 }

/** Word has nine levels. */
const MAX_LEVEL = 8

/** Lines of code, items or rows that follow each other and make one block. */
interface Run {
  readonly kind: 'code' | 'list' | 'table'
  readonly lines: (readonly string[])[]
}

/** Reads rich text; an outline level or the name of a style tells headings and code. */
export async function readRtf({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const text = new TextDecoder('latin1').decode(bytes)
  if (!text.startsWith('{\\rtf')) throw incomplete('is not RTF', 'word processor', '.rtf')
  const { title, blocks } = new RtfReader(text).read()
  return { title: titleOf(name, blocks, title), blocks, properties: {} }
}

class RtfReader {
  readonly #source: string
  readonly #blocks: Block[] = []
  readonly #fonts: ReadonlyMap<number, Decoder>
  readonly #styles: ReadonlyMap<number, Style>
  readonly #open: Group[] = []
  readonly #body: Target = { text: '' }
  readonly #label: Target = { text: '' }
  readonly #title: Target = { text: '' }
  /** What the present field shows: `TOC \\o "1-2"`. */
  readonly #instruction: Target = { text: '' }
  /** The targets that are read where they end, not where their group ends. */
  readonly #kept = new Set([this.#body, this.#label, this.#title, this.#instruction])
  /** The finished cells of the present row. */
  #cells: string[] = []
  #run: Run | undefined
  /** What words change until the end of their group. */
  readonly #changes = new Map<string, (number: number | undefined) => Partial<Group>>(
    Object.entries({
      title: () => ({ target: this.#title }),
      // The text of a note follows the word that it is about, also if the note is marked optional.
      footnote: () => ({ target: this.#open.at(-1)?.target && { text: '' } }),
      listtext: () => ({ target: this.#label }),
      pntext: () => ({ target: this.#label }),
      fldinst: () => this.#fieldInstruction(),
      fldrslt: () => (/^\s*TOC\b/.test(this.#instruction.text) ? { target: undefined } : {}),
      pard: () => PLAIN,
      s: (style = 0) => this.#styles.get(style) ?? {},
      outlinelevel: (level?: number) => ({ level }),
      intbl: () => ({ isInTable: true }),
      ilvl: (depth = 0) => ({ depth: Math.min(Math.max(depth, 0), MAX_LEVEL) }),
      uc: (fallback = 1) => ({ fallback }),
      f: (font = 0) => ({ decoder: this.#fonts.get(font) ?? this.#group.decoder }),
    }),
  )
  /** What words end, and begin. */
  readonly #ends = new Map<string, () => void>(
    Object.entries({
      par: () => this.#paragraph(),
      sect: () => this.#paragraph(),
      trowd: () => this.#beginRow(),
      cell: () => this.#cell(),
      row: () => this.#row(),
    }),
  )
  #group: Group
  #skip = 0

  constructor(source: string) {
    this.#source = source
    const decoder = decoderOf(/\\ansicpg(\d+)/.exec(source)?.[1] ?? '1252')
    this.#fonts = fontDecoders(source, decoder)
    this.#styles = stylesOf(source)
    this.#group = { target: this.#body, decoder, fallback: 1, ...PLAIN }
  }

  read(): { title: string; blocks: Block[] } {
    for (const token of this.#source.matchAll(TOKEN)) this.#take(token)
    // A file that was cut off leaves groups open.
    this.#group = { ...this.#group, target: this.#body, isInTable: false }
    if (this.#cells.length > 0) this.#row()
    this.#paragraph()
    this.#endRun()
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
    const isNote = target && !this.#kept.has(target)
    if (isNote && target !== this.#group.target) this.#write(` ${oneLine(target.text)} `)
  }

  #word(word: string, number: number | undefined): void {
    const change = SILENT.has(word) ? { target: undefined } : this.#changes.get(word)?.(number)
    if (change) this.#group = { ...this.#group, ...change }
    else if (this.#ends.has(word)) this.#ends.get(word)?.()
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
    if (this.#group.target !== this.#body || this.#group.isInTable) {
      this.#write(' ')
      return
    }
    const { level, isCode, isContents, depth } = this.#group
    const label = this.#taken(this.#label)
    const written = this.#taken(this.#body)
    const text = written.replace(/[ \t]+/g, ' ').trim()
    if (isCode) this.#add('code', [written.trimEnd()])
    else if (!text || isContents) this.#endRun()
    else if (level !== undefined && level < 6) {
      this.#push({ kind: 'heading', level: level + 1, text: `${numberIn(label)} ${text}`.trim() })
    } else if (label) this.#add('list', [`${'  '.repeat(depth)}${numberIn(label) || '-'} ${text}`])
    else this.#push({ kind: 'paragraph', text })
  }

  #fieldInstruction(): Partial<Group> {
    this.#instruction.text = ''
    return { target: this.#instruction }
  }

  #taken(target: Target): string {
    const { text } = target
    target.text = ''
    return text
  }

  /** Text before the first cell is a paragraph, even if nothing ends it. */
  #beginRow(): void {
    const isAfterText = this.#cells.length === 0 && !this.#group.isInTable
    if (isAfterText && this.#body.text.trim()) this.#paragraph()
  }

  #cell(): void {
    if (this.#group.target !== this.#body) return
    const number = numberIn(this.#taken(this.#label))
    this.#cells.push(oneLine(`${number} ${this.#taken(this.#body)}`))
  }

  #row(): void {
    const cells = this.#cells
    this.#cells = []
    // Not every program resets this, and what follows a table is no cell.
    this.#group = { ...this.#group, isInTable: false }
    if (cells.some(Boolean)) this.#add('table', cells)
  }

  #add(kind: Run['kind'], line: readonly string[]): void {
    if (this.#run?.kind !== kind) this.#endRun()
    this.#run ??= { kind, lines: [] }
    this.#run.lines.push(line)
  }

  #push(block: Block): void {
    this.#endRun()
    this.#blocks.push(block)
  }

  #endRun(): void {
    const block = this.#run && toBlock(this.#run)
    this.#run = undefined
    if (block) this.#blocks.push(block)
  }
}

function toBlock({ kind, lines }: Run): Block | undefined {
  if (kind === 'list') return { kind, items: lines.flat() }
  if (kind === 'code') return codeBlock(lines.flat())
  return toTable(lines)
}

/** Returns the number of a label, and nothing for a bullet. */
function numberIn(label: string): string {
  return /[\p{L}\p{N}]/u.test(label) ? oneLine(label) : ''
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
