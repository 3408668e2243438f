import { decodeBytes } from '../../../base/text/decode-bytes.ts'
import { DocumentError } from './document-error.ts'

/** Decodes a text file; a file with zero bytes is refused. */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const text = decodeBytes(bytes, contentType)
  if (!text.includes('\0')) return text
  throw new DocumentError(
    'malformed',
    'The file is not text: it holds zero bytes',
    'Save it as UTF-8.',
  )
}
