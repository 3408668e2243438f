import type { CodeHit } from '../../../../search/code/code-file.ts'
import { type CodeSymbol, enclosingSymbol, qualifiedName } from '../../code-symbol.ts'
import type { FileRecord } from '../index/file-record.ts'

/** The symbol that some lines of a file are about, and the block they belong to. */
export interface ChunkFacts {
  readonly blockType: string
  readonly hierarchy: string
  readonly symbol: CodeSymbol | undefined
}

/** How to choose among symbols: one that the filter accepts, preferably one the query names or is about. */
export interface WantedSymbol {
  readonly accepts?: ((symbol: CodeSymbol) => boolean) | undefined
  readonly names?: readonly string[]
  /** The first and the last line where the words of the query are. */
  readonly matched?: readonly [first: number, last: number] | undefined
}

/** Blocks that say what a whole document declares, even after other keys. */
const DECLARATIONS: ReadonlySet<string> = new Set(['kind', 'define'])

export function factsOf(
  record: FileRecord,
  { startLine, endLine }: Pick<CodeHit, 'startLine' | 'endLine'>,
  wanted: WantedSymbol = {},
): ChunkFacts {
  const symbol = symbolOf(wanted, symbolsIn(record, startLine, endLine))
  if (symbol) return { blockType: symbol.type, hierarchy: qualifiedName(symbol), symbol }
  const inside = record.blocks.filter(({ line }) => line >= startLine && line <= endLine)
  const block =
    inside.find(({ type }) => DECLARATIONS.has(type)) ??
    inside[0] ??
    record.blocks.findLast(({ line }) => line < startLine)
  return { blockType: block?.type ?? '', hierarchy: block?.hierarchy ?? '', symbol: undefined }
}

/**
 * The symbol that the query names, else the innermost one around its words, or the next one, as the
 * words may be in its comment; without such, the first that starts here, or the one around these lines.
 */
function symbolOf(
  { accepts = () => true, names = [], matched }: WantedSymbol,
  all: readonly CodeSymbol[],
): CodeSymbol | undefined {
  const accepted = all.filter(accepts)
  const lowered = new Set(names.map((name) => name.toLowerCase()))
  return (
    accepted.find(({ name }) => names.includes(name)) ??
    accepted.find(({ name }) => lowered.has(name.toLowerCase())) ??
    (matched && symbolAt(accepted, matched)) ??
    accepted[0] ??
    all[0]
  )
}

function symbolAt(
  symbols: readonly CodeSymbol[],
  [first, last]: readonly [first: number, last: number],
): CodeSymbol | undefined {
  const around = symbols.filter(({ startLine, endLine }) => startLine <= first && first <= endLine)
  if (around.length === 0) return symbols.find(({ startLine }) => startLine > first)
  const whole = around.filter(({ endLine }) => last <= endLine)
  return whole.toSorted((one, other) => other.startLine - one.startLine)[0]
}

/** Returns the symbols that start in these lines, then the one around them, for symbol filters. */
export function symbolsIn(record: FileRecord, startLine: number, endLine: number): CodeSymbol[] {
  const inside = record.symbols.filter(
    (symbol) => symbol.startLine >= startLine && symbol.startLine <= endLine,
  )
  const around = enclosingSymbol(record.symbols, startLine)
  return around && !inside.includes(around) ? [...inside, around] : inside
}
