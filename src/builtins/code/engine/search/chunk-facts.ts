import { type CodeSymbol, enclosingSymbol, qualifiedName } from '../../scan/code-symbol.ts'
import type { FileRecord } from '../index/file-record.ts'

/** What is known of some lines of a file: the symbol they are about, the block they belong to. */
export interface ChunkFacts {
  readonly blockType: string
  readonly hierarchy: string
  readonly symbol: CodeSymbol | undefined
}

/** Which of several symbols a search is about: one that its filter accepts, by preference one that it names. */
export interface WantedSymbol {
  readonly accepts?: ((symbol: CodeSymbol) => boolean) | undefined
  readonly names?: readonly string[]
}

/** Blocks that say what a whole document declares, whatever keys are before them. */
const DECLARATIONS: ReadonlySet<string> = new Set(['kind', 'define'])

export function factsOf(
  record: FileRecord,
  startLine: number,
  endLine: number,
  wanted: WantedSymbol = {},
): ChunkFacts {
  const symbol = symbolOf(record, startLine, endLine, wanted)
  if (symbol) return { blockType: symbol.type, hierarchy: qualifiedName(symbol), symbol }
  const inside = record.blocks.filter(({ line }) => line >= startLine && line <= endLine)
  const block =
    inside.find(({ type }) => DECLARATIONS.has(type)) ??
    inside[0] ??
    record.blocks.findLast(({ line }) => line < startLine)
  return { blockType: block?.type ?? '', hierarchy: block?.hierarchy ?? '', symbol: undefined }
}

/** By default the first that begins here, or else the innermost these lines are part of. */
function symbolOf(
  record: FileRecord,
  startLine: number,
  endLine: number,
  { accepts = () => true, names = [] }: WantedSymbol,
): CodeSymbol | undefined {
  const all = symbolsIn(record, startLine, endLine)
  const accepted = all.filter(accepts)
  const lowered = new Set(names.map((name) => name.toLowerCase()))
  return (
    accepted.find(({ name }) => names.includes(name)) ??
    accepted.find(({ name }) => lowered.has(name.toLowerCase())) ??
    accepted[0] ??
    all[0]
  )
}

/** Every symbol that begins in these lines, then the one around them: what a symbol filter looks at. */
export function symbolsIn(record: FileRecord, startLine: number, endLine: number): CodeSymbol[] {
  const inside = record.symbols.filter(
    (symbol) => symbol.startLine >= startLine && symbol.startLine <= endLine,
  )
  const around = enclosingSymbol(record.symbols, startLine)
  return around && !inside.includes(around) ? [...inside, around] : inside
}
