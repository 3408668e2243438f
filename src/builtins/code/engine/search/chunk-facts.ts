import { type CodeSymbol, enclosingSymbol, qualifiedName } from '../../code-symbol.ts'
import type { FileRecord } from '../index/file-record.ts'

/** The symbol that some lines of a file are about, and the block they belong to. */
export interface ChunkFacts {
  readonly blockType: string
  readonly hierarchy: string
  readonly symbol: CodeSymbol | undefined
}

/** How to choose among symbols: one that the filter accepts, preferably one the query names. */
export interface WantedSymbol {
  readonly accepts?: ((symbol: CodeSymbol) => boolean) | undefined
  readonly names?: readonly string[]
}

/** Blocks that say what a whole document declares, even after other keys. */
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

/** By default the first symbol that starts here, or else the innermost one around these lines. */
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

/** Returns the symbols that start in these lines, then the one around them, for symbol filters. */
export function symbolsIn(record: FileRecord, startLine: number, endLine: number): CodeSymbol[] {
  const inside = record.symbols.filter(
    (symbol) => symbol.startLine >= startLine && symbol.startLine <= endLine,
  )
  const around = enclosingSymbol(record.symbols, startLine)
  return around && !inside.includes(around) ? [...inside, around] : inside
}
