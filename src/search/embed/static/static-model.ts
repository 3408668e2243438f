import { isObject } from '../../../base/json/json.ts'
import { EmbedderError } from '../embedder-error.ts'
import type { ModelBytes } from './model-bytes.ts'

/** One vector per token, 8 bits per number, and a factor per row that includes its weight. */
export interface StaticModel {
  readonly name: string
  readonly dimension: number
  /** The number of every token; `##x` is a piece that only continues a word. */
  readonly tokens: ReadonlyMap<string, number>
  readonly scales: Float32Array
  /** Row by row, over the shared bytes. */
  readonly vectors: Int8Array
}

const MAGIC = 'STATVEC1'

const NUMBERS = [
  'tokens',
  'dimension',
  'vocabularyOffset',
  'vocabularyLength',
  'scalesOffset',
  'vectorsOffset',
] as const

type Header = Readonly<Record<(typeof NUMBERS)[number], number>> & { readonly name: string }

/** Checked by hand, so that a search on the command line need not load a schema library. */
function isHeader(value: unknown): value is Header {
  if (!isObject(value) || typeof value['name'] !== 'string') return false
  return NUMBERS.every((key) => Number.isInteger(value[key]) && Number(value[key]) > 0)
}

/**
 * Reads a model file: `STATVEC1`, the length of a JSON header, the header, then at the offsets it
 * names the vocabulary (one token a line), float32 scales and int8 vectors, all little-endian.
 */
export function parseModel(bytes: ModelBytes): StaticModel {
  const file = Buffer.from(bytes)
  if (file.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new EmbedderError('bad-answer', 'Not a static text model: the file begins otherwise')
  const headerStart = MAGIC.length + 4
  const headerEnd = headerStart + file.readUInt32LE(MAGIC.length)
  const header: unknown = JSON.parse(file.toString('utf8', headerStart, headerEnd))
  if (!isHeader(header))
    throw new EmbedderError('bad-answer', 'Not a static text model: its header lacks a number')
  const { vocabularyOffset, vocabularyLength, scalesOffset, vectorsOffset, dimension } = header
  const words = file
    .toString('latin1', vocabularyOffset, vocabularyOffset + vocabularyLength)
    .split('\n')
  // Not aligned to four bytes, so read one by one.
  const scales = Float32Array.from({ length: header.tokens }, (_, token) =>
    file.readFloatLE(scalesOffset + 4 * token),
  )
  return {
    name: header.name,
    dimension,
    tokens: new Map(words.map((word, token) => [word, token])),
    scales,
    vectors: new Int8Array(bytes, vectorsOffset, header.tokens * dimension),
  }
}
