import { readFileSync } from 'node:fs'

export type SourceText =
  | { readonly kind: 'text'; readonly bytes: Buffer; readonly text: string }
  | { readonly kind: 'binary' | 'minified' }

/** Enough to find a NUL byte, which text never contains. */
const SNIFF_BYTES = 8_000
const MINIFIED_LINE = 20_000

/**
 * Reads a file as text. Bytes that are not UTF-8 become replacement characters; UTF-16 is
 * recognised by its byte order mark.
 */
export function readSource(path: string): SourceText {
  const bytes = readFileSync(path)
  if (isBinary(bytes)) return { kind: 'binary' }
  const text = decodeSource(bytes)
  return hasEndlessLine(text) ? { kind: 'minified' } : { kind: 'text', bytes, text }
}

/** Decodes a file without its byte order mark. */
export function decodeSource(bytes: Buffer): string {
  if (!isUtf16(bytes)) return bytes.toString('utf8', startsWithMark(bytes) ? 3 : 0)
  const even = bytes.subarray(2, bytes.length - (bytes.length % 2))
  return (bytes[0] === 0xff ? even : Buffer.from(even).swap16()).toString('utf16le')
}

export function isUtf16(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
}

export function isBinary(bytes: Buffer): boolean {
  return !isUtf16(bytes) && bytes.subarray(0, SNIFF_BYTES).includes(0)
}

function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
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
