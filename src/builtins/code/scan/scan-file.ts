import { detached } from '../../../base/text/detached.ts'
import type { CodeFile } from '../../../search/code/code-file.ts'
import { extractImports } from '../graph/extract/extract-imports.ts'
import type { ImportRef } from '../graph/import-ref.ts'
import { configGrammarOf } from '../languages/config-grammars.ts'
import { languageOf } from '../languages/language-of.ts'
import type { CodeSymbol } from '../code-symbol.ts'
import { type ChunkOptions, cutChunks } from './cut-chunks.ts'
import { type CodeBlock, scanBlocks } from './scan-blocks.ts'
import { scanSymbols } from './scan-symbols.ts'

/** Everything that one scan of a file finds: its chunks, its symbols and blocks, its imports. */
export interface ScannedFile {
  readonly code: CodeFile
  /** The language by which imports are resolved and symbols parsed. */
  readonly language: string
  /** The language that users see and filter by: the config grammar if any, else the language. */
  readonly languageId: string
  readonly lines: number
  readonly symbols: readonly CodeSymbol[]
  readonly blocks: readonly CodeBlock[]
  readonly imports: readonly ImportRef[]
}

export const DEFAULT_CHUNKS: ChunkOptions = { size: 1_500 }

export function scanFile(
  path: string,
  text: string,
  chunks: ChunkOptions = DEFAULT_CHUNKS,
): ScannedFile {
  const language = languageOf(path, text)?.id ?? 'text'
  const grammar = configGrammarOf(path, text)?.id
  const languageId = grammar ?? language
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  const symbols = scanSymbols(language, lines)
  const blocks = scanBlocks(languageId, lines)
  const starts = symbols.length > 0 ? symbols : blocks.map(({ line }) => ({ startLine: line }))
  return {
    code: { path, chunks: toChunks(lines, symbols, cutChunks(lines, starts, chunks)) },
    language,
    languageId,
    lines: lines.length,
    symbols: symbols.map(detachSymbol),
    blocks: blocks.map(detachBlock),
    imports: extractImports(language, grammar, text).map(detachImport),
  }
}

function toChunks(
  lines: readonly string[],
  symbols: readonly CodeSymbol[],
  ranges: ReturnType<typeof cutChunks>,
): CodeFile['chunks'] {
  let at = 0
  return ranges.map(({ startLine, endLine }) => {
    const definitions: string[] = []
    while (at > 0 && (symbols[at - 1]?.startLine ?? 0) >= startLine) at-- // Overlapping chunks share symbols.
    for (; at < symbols.length; at++) {
      const symbol = symbols[at]
      if (!symbol || symbol.startLine > endLine) break
      if (symbol.startLine >= startLine) definitions.push(symbol.name)
    }
    return { startLine, endLine, text: lines.slice(startLine - 1, endLine).join('\n'), definitions }
  })
}

// These live as long as the index; they must not keep the text of the file in memory.
function detachSymbol(symbol: CodeSymbol): CodeSymbol {
  const { name, scope, signature } = symbol
  return {
    ...symbol,
    name: detached(name),
    scope: detached(scope),
    signature: detached(signature),
  }
}

function detachBlock(block: CodeBlock): CodeBlock {
  return { ...block, hierarchy: detached(block.hierarchy) }
}

function detachImport(reference: ImportRef): ImportRef {
  const { specifier, names, aliases } = reference
  return {
    ...reference,
    specifier: detached(specifier),
    ...(names && { names: names.map(detached) }),
    ...(aliases && {
      aliases: aliases.map(([name, local]) => [detached(name), detached(local)] as const),
    }),
  }
}
