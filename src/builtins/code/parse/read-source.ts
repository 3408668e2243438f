import { readFoundBytes } from '../../../base/files/read-found-file.ts'
import { decodeBytes, isUtf16 } from '../../../base/text/decode-bytes.ts'

export type SourceText =
  | { readonly kind: 'text'; readonly bytes: Buffer; readonly text: string }
  | { readonly kind: 'binary' | 'minified' }

/** Enough to find a NUL byte, which text never contains. */
const SNIFF_BYTES = 8_000
const MINIFIED_LINE = 20_000

/** Reads a file as text; throws if it cannot be read or is no longer a plain file. */
export function readSource(path: string): SourceText {
  const bytes = readFoundBytes(path)
  if (!bytes) throw new Error(`${path} is not a plain file`)
  if (isBinary(bytes)) return { kind: 'binary' }
  const text = decodeBytes(bytes)
  return hasEndlessLine(text) ? { kind: 'minified' } : { kind: 'text', bytes, text }
}

function isBinary(bytes: Buffer): boolean {
  return !isUtf16(bytes) && bytes.subarray(0, SNIFF_BYTES).includes(0)
}

/** Detects bundles and data, which would outweigh hand-written code in the results. */
function hasEndlessLine(text: string): boolean {
  if (text.length < MINIFIED_LINE) return false
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at)
    if ((end < 0 ? text.length : end) - at > MINIFIED_LINE) return true
    if (end < 0) return false
    at = end + 1
  }
  return false
}
