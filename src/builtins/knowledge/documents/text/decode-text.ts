import { DocumentError } from '../document-error.ts'

/**
 * Decodes a text file: by its byte order mark, else as UTF-8 if it is valid UTF-8, else in the
 * encoding that the server (`contentType`) or the text itself declares, else as Windows-1252.
 */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const text = decode(bytes, contentType)
  if (!text.includes('\0')) return text
  throw new DocumentError(
    'malformed',
    'The file is not text: it holds zero bytes',
    'Save it as UTF-8.',
  )
}

function decode(bytes: Uint8Array, contentType: string): string {
  const [a, b] = bytes
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  const declared = declaredEncoding(bytes, contentType)
  // Many UTF-8 pages declare another encoding, so UTF-8 is tried first. Text in other encodings is
  // rarely valid UTF-8, except ISO-2022-JP.
  const shifted = /^iso-2022-jp$/i.test(declared) && bytes.includes(ESCAPE)
  return (
    (shifted ? undefined : decodeAs('utf-8', bytes)) ??
    (/^utf-?8$/i.test(declared) ? damagedUtf8(bytes) : decodeAs(declared, bytes)) ??
    new TextDecoder('windows-1252').decode(bytes)
  )
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

/** Returns undefined if the encoding is unknown, or is UTF-8 and the bytes are not. */
function decodeAs(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: encoding === 'utf-8' }).decode(bytes)
  } catch {
    return undefined
  }
}
