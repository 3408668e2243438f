import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/** What we can decompress, as the header `Accept-Encoding`. */
export const ENCODINGS = 'gzip, deflate, br'

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Returns the encoding that a body must be decompressed from, if any. */
export function encodingOf(header: string | undefined): string | undefined {
  const name = header?.trim().toLowerCase()
  return name === '' || name === 'identity' ? undefined : name
}

/** Returns a stream that decompresses a body; undefined if the encoding is unknown. */
export function createDecoder(encoding: string): Transform | undefined {
  return DECODERS[encoding]?.()
}
