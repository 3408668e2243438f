import type { Excluded } from '../../walk/walk.ts'
import type { CodeBlock } from '../../scan/scan-blocks.ts'
import type { CodeSymbol } from '../../code-symbol.ts'
import type { Alias, ImportRef } from '../../graph/import-ref.ts'
import type { FileRecord } from './file-record.ts'
import type { IndexSettings } from './index-settings.ts'
import type { SavedGraph } from './saved-graph.ts'

export interface EmbeddingModel {
  readonly provider: string
  readonly model: string
}

/** The identity and the age of an index. */
export interface IndexIdentity {
  readonly name: string
  readonly root: string
  readonly identity: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly branch: string | null
  readonly commit: string | null
  readonly settings: IndexSettings
  /** How long the last full build took. */
  readonly elapsedSeconds: number
  /** The model that made its vectors, if it has any. */
  readonly embedding: EmbeddingModel | null
}

export interface SavedIndex extends IndexIdentity {
  readonly layout: number
  readonly files: Iterable<PackedRecord>
  /** Refers to the files above by position. */
  readonly graph: Omit<SavedGraph, 'paths'>
  readonly excluded: readonly Excluded[]
  readonly excludedReasons: Readonly<Partial<Record<Excluded['reason'], number>>>
}

/** Increased when the saved format or the output of the scanner changes. */
export const LAYOUT = 6

type PackedImport = readonly [
  specifier: string,
  kind: string,
  line: number,
  names: readonly string[] | 0,
  isReference: 0 | 1,
  aliases?: readonly Alias[],
]

/** Tuples, because field names would make up most of the file. */
export type PackedRecord = readonly [
  path: string,
  size: number,
  mtimeMs: number,
  readAtMs: number,
  hash: string,
  language: string,
  languageId: string,
  lines: number,
  ranges: readonly number[],
  symbols: readonly (readonly [string, CodeSymbol['type'], number, number, string, string])[],
  blocks: readonly (readonly [number, string, string])[],
  imports: readonly PackedImport[],
  parse: readonly [FileRecord['parse']['status'], string?],
]

/** Packs records one by one: all of them at once would be a second copy of the index. */
export function* packRecords(files: ReadonlyMap<string, FileRecord>): Generator<PackedRecord> {
  for (const [path, record] of files) yield packRecord(path, record)
}

function packRecord(path: string, record: FileRecord): PackedRecord {
  const { size, mtimeMs, readAtMs, hash, language, languageId, lines, ranges, parse } = record
  return [
    ...([path, size, mtimeMs, readAtMs, hash, language, languageId, lines, ranges] as const),
    record.symbols.map(
      (s) => [s.name, s.type, s.startLine, s.endLine, s.scope, s.signature] as const,
    ),
    record.blocks.map((b) => [b.line, b.type, b.hierarchy] as const),
    record.imports.map(packImport),
    parse.message === undefined ? [parse.status] : [parse.status, parse.message],
  ]
}

export function unpackRecord(packed: PackedRecord): [path: string, record: FileRecord] {
  const [path, size, mtimeMs, readAtMs, hash, language, languageId, lines, ranges] = packed
  const [symbols, blocks, imports, [status, message]] = [
    packed[9],
    packed[10],
    packed[11],
    packed[12],
  ]
  const record: FileRecord = {
    size,
    mtimeMs,
    readAtMs,
    hash,
    language,
    languageId,
    lines,
    ranges,
    symbols: symbols.map(toSymbol),
    blocks: blocks.map(([line, type, hierarchy]): CodeBlock => ({ line, type, hierarchy })),
    imports: imports.map(toImport),
    parse: message === undefined ? { status } : { status, message },
  }
  return [path, record]
}

function packImport({ specifier, kind, line, names, type, aliases }: ImportRef): PackedImport {
  const packed = [specifier, kind, line, names ?? 0, type === 'reference' ? 1 : 0] as const
  return aliases ? [...packed, aliases] : packed
}

function toSymbol(packed: PackedRecord[9][number]): CodeSymbol {
  const [name, type, startLine, endLine, scope, signature] = packed
  return { name, type, startLine, endLine, scope, signature }
}

function toImport([specifier, kind, line, names, isReference, aliases]: PackedImport): ImportRef {
  return {
    specifier,
    kind,
    line,
    ...(names !== 0 && { names }),
    ...(aliases && { aliases }),
    ...(isReference === 1 && { type: 'reference' as const }),
  }
}
