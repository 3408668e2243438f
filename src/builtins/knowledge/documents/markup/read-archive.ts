import { DocumentError } from '../document-error.ts'

export interface ArchiveLimits {
  readonly maxEntries: number
  readonly maxBytes: number
  /** Inflated size divided by packed size of one entry; office documents stay far below. */
  readonly maxRatio: number
}

const ARCHIVE_LIMITS: ArchiveLimits = {
  maxEntries: 10_000,
  maxBytes: 256 * 1024 * 1024,
  maxRatio: 250,
}

const RATIO_MATTERS_ABOVE = 4 * 1024 * 1024
const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0]

export type Archive = ReadonlyMap<string, Uint8Array>

/** Inflates the wanted entries of a ZIP; sizes are checked before a byte is inflated. */
export async function readArchive(
  bytes: Uint8Array,
  wanted: (path: string) => boolean,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<Archive> {
  if (COMPOUND_FILE.every((byte, at) => bytes[at] === byte)) {
    throw new DocumentError(
      'encrypted',
      'The document is encrypted or in a legacy binary Office format',
      'Remove the password, or save it again as .docx.',
    )
  }
  const { unzipSync } = await import('fflate')
  let entries = 0
  let total = 0
  try {
    const files = unzipSync(bytes, {
      filter({ name, size, originalSize }) {
        entries += 1
        if (entries > limits.maxEntries) throw tooLarge(`more than ${limits.maxEntries} entries`)
        if (!wanted(name)) return false
        total += originalSize
        if (total > limits.maxBytes) throw tooLarge(`more than ${limits.maxBytes} bytes inflated`)
        if (originalSize > RATIO_MATTERS_ABOVE && originalSize > size * limits.maxRatio) {
          throw tooLarge(`entry ${name} inflates ${Math.round(originalSize / size)} times`)
        }
        return true
      },
    })
    return new Map(Object.entries(files))
  } catch (error) {
    if (error instanceof DocumentError) throw error
    throw new DocumentError(
      'malformed',
      'The file is not a readable ZIP container',
      'Check that the download is whole, and save the document again.',
      { cause: error },
    )
  }
}

function tooLarge(why: string): DocumentError {
  return new DocumentError(
    'too_large',
    `The archive is refused: ${why}`,
    'If the document is genuine, split it into parts.',
  )
}
