import type { CodeSymbol } from '../code-symbol.ts'

export interface ChunkRange {
  /** 1-based and inclusive. */
  readonly startLine: number
  readonly endLine: number
}

export interface ChunkOptions {
  /** Characters a chunk aims for; one line may be longer. */
  readonly size: number
  /** Characters of the previous chunk that are repeated, in whole lines; at most half a chunk. */
  readonly overlap?: number
}

/**
 * Cuts a file at line ends into chunks of about `size` characters, preferably where a definition
 * starts, with the comment above it, else at a blank line.
 */
export function cutChunks(
  lines: readonly string[],
  symbols: readonly Pick<CodeSymbol, 'startLine'>[],
  { size, overlap = 0 }: ChunkOptions,
): ChunkRange[] {
  const starts = definitionStarts(lines, symbols)
  const chunks: ChunkRange[] = []
  let from = 0
  while (from < lines.length) {
    const to = cutAfter(lines, starts, from, size)
    chunks.push({ startLine: from + 1, endLine: to + 1 })
    if (to + 1 >= lines.length) break
    from = Math.max(from + 1, backBy(lines, to + 1, Math.min(overlap, size / 2)))
  }
  return chunks.filter(({ startLine, endLine }) => hasText(lines, startLine - 1, endLine - 1))
}

/** Returns the lines where definitions begin, moved up over their comments and decorators. */
function definitionStarts(
  lines: readonly string[],
  symbols: readonly Pick<CodeSymbol, 'startLine'>[],
): ReadonlySet<number> {
  const starts = new Set<number>()
  if (symbols.length === 0) return starts
  // Each line is read once, because definitions may be on thousands of such lines in a row.
  const tops: number[] = []
  for (const [line, text] of lines.entries()) {
    tops[line] ??= line
    if (/^\s*(?:\/\/|\/\*|\*|#|@|--|"""|<!--|\[)/.test(text)) tops[line + 1] = tops[line] ?? line
  }
  for (const { startLine } of symbols) starts.add(tops[startLine - 1] ?? startLine - 1)
  return starts
}

/** Returns the index of the last line of the chunk that begins at `from`. */
function cutAfter(
  lines: readonly string[],
  starts: ReadonlySet<number>,
  from: number,
  size: number,
): number {
  let length = 0
  let best = -1
  let isDefinition = false
  for (let line = from; line < lines.length; line++) {
    const text = lines[line] ?? ''
    length += text.length + 1
    if (length > size && line > from) return best >= from ? best : line - 1
    if (length < size / 2) continue
    const beforeDefinition = starts.has(line + 1)
    if (beforeDefinition || (!isDefinition && text.trim() === '')) {
      best = line
      isDefinition = beforeDefinition
    }
  }
  return lines.length - 1
}

function backBy(lines: readonly string[], line: number, overlap: number): number {
  let kept = 0
  let at = line
  while (at > 0 && kept + (lines[at - 1]?.length ?? 0) + 1 <= overlap) {
    at--
    kept += (lines[at]?.length ?? 0) + 1
  }
  return at
}

function hasText(lines: readonly string[], from: number, to: number): boolean {
  for (let line = from; line <= to; line++) if (/\S/.test(lines[line] ?? '')) return true
  return false
}
