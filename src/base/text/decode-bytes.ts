import { isUtf8 } from 'node:buffer'
import { guessEncoding } from './guess-encoding.ts'

/**
 * Decodes a text: by its byte order mark, else as UTF-8 if it is UTF-8, else in the encoding that
 * the server (`contentType`) or the text itself declares, else in the one that its letters suggest.
 */
export function decodeBytes(bytes: Uint8Array, contentType = ''): string {
  if (isUtf16(bytes))
    return new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes)
  // Many UTF-8 pages declare another encoding, so UTF-8 is tried first. Text in other encodings is
  // rarely valid UTF-8, except ISO-2022-JP.
  const isPlain = isUtf8(bytes)
  if (isPlain && !bytes.includes(ESCAPE)) return new TextDecoder().decode(bytes)
  const declared = declaredEncoding(bytes, contentType)
  if (isPlain && !/^iso-2022-jp$/i.test(declared)) return new TextDecoder().decode(bytes)
  return (
    (/^utf-?8$/i.test(declared) ? undefined : decodeAs(declared, bytes)) ??
    damagedUtf8(bytes) ??
    new TextDecoder(guessEncoding(bytes)).decode(bytes)
  )
}

export function isUtf16([a, b]: Uint8Array): boolean {
  return (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)
}

/** Returns UTF-8 with a few invalid bytes; undefined if it has no more valid letters than those. */
function damagedUtf8(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes)
  const invalid = text.match(/\uFFFD/g)?.length ?? 0
  const beyondAscii = text.match(/[^\0-\x7F]/gu)?.length ?? 0
  return beyondAscii > 2 * invalid ? text : undefined
}

function declaredEncoding(bytes: Uint8Array, contentType: string): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, DECLARED_WITHIN))
  return (DECLARED.exec(contentType) ?? DECLARED.exec(head))?.[1] ?? ''
}

/** `charset=…` of a page or a header, `encoding="…"` of XML, `coding: …` of an editor. */
const DECLARED = /(?:charset|coding)\s*[=:]\s*["']?([\w.:-]+)/i
const DECLARED_WITHIN = 1024
const ESCAPE = 0x1b

/** Returns undefined if the encoding is unknown. */
function decodeAs(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return undefined
  }
}
