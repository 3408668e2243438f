import { DocumentError } from '../document-error.ts'

/** Bytes of a text file as a string: UTF-8, else what the byte order mark says, else Windows-1252. */
export function decodeText(bytes: Uint8Array): string {
  const text = decode(bytes)
  if (!text.includes('\0')) return text
  throw new DocumentError(
    'malformed',
    'The file is not text: it holds zero bytes',
    'Save it as UTF-8.',
  )
}

function decode(bytes: Uint8Array): string {
  const [a, b] = bytes
  if (a === 0xff && b === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (a === 0xfe && b === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
