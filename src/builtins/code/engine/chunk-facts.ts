import { type CodeSymbol, enclosingSymbol, qualifiedName } from '../scan/code-symbol.ts'
import type { FileRecord } from './file-record.ts'

/** What is known of some lines of a file: the symbol they are about, the block they belong to. */
export interface ChunkFacts {
  readonly blockType: string
  readonly hierarchy: string
  readonly symbol: CodeSymbol | undefined
}

export function factsOf(record: FileRecord, startLine: number, endLine: number): ChunkFacts {
  const symbol = symbolOf(record.symbols, startLine, endLine)
  if (symbol) return { blockType: symbol.type, hierarchy: qualifiedName(symbol), symbol }
  const block =
    record.blocks.find(({ line }) => line >= startLine && line <= endLine) ??
    record.blocks.findLast(({ line }) => line < startLine)
  return { blockType: block?.type ?? '', hierarchy: block?.hierarchy ?? '', symbol: undefined }
}

/** The first that begins here, or else the innermost these lines are part of. */
function symbolOf(
  symbols: readonly CodeSymbol[],
  startLine: number,
  endLine: number,
): CodeSymbol | undefined {
  return (
    symbols.find((symbol) => symbol.startLine >= startLine && symbol.startLine <= endLine) ??
    enclosingSymbol(symbols, startLine)
  )
}

/** Every symbol that begins in these lines, and the one around them: what a symbol filter looks at. */
export function symbolsIn(record: FileRecord, startLine: number, endLine: number): CodeSymbol[] {
  const inside = record.symbols.filter(
    (symbol) => symbol.startLine >= startLine && symbol.startLine <= endLine,
  )
  const around = enclosingSymbol(record.symbols, startLine)
  return around && !inside.includes(around) ? [around, ...inside] : inside
}
