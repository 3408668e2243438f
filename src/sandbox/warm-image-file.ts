import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { deflateSync, inflateSync } from 'node:zlib'
import { QuickJS } from 'quickjs-wasi'
import { packageFile } from '../base/files/package-files.ts'
import { GUEST_FUNCTIONS, type Tokens, type WarmImage } from './messages.ts'
import { PRELUDE_FILE } from './bounded-wasm.ts'

/** Comes with the built package; from sources, as in tests, there is none. */
export const WARM_IMAGE_FILE = packageFile('dist/sandbox/warm-image.bin')

/** The first line of the file. The image fits only this module, and is right only after this prelude. */
interface Header {
  readonly wasm: string
  readonly prelude: string
  readonly tokens: Tokens
}

const NEWLINE = 10

export function toFile({ snapshot, tokens }: WarmImage, wasm: string): Buffer {
  const header: Header = { wasm, prelude: preludeId(), tokens }
  const memory = deflateSync(QuickJS.serializeSnapshot(snapshot), { level: 9 })
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), memory])
}

/** Absent where there is no file, where it is not whole, or where it is of another module or prelude. */
export function readWarmImage(wasm: string, file = WARM_IMAGE_FILE): WarmImage | undefined {
  try {
    const bytes = readFileSync(file)
    const end = bytes.indexOf(NEWLINE)
    const header: Header = JSON.parse(bytes.toString('utf8', 0, end))
    if (header.wasm !== wasm || header.prelude !== preludeId()) return undefined
    const snapshot = QuickJS.deserializeSnapshot(inflateSync(bytes.subarray(end + 1)))
    return { snapshot, tokens: header.tokens }
  } catch {
    return undefined
  }
}

/** Names the source of the prelude, and the functions of it that the host expects. */
function preludeId(): string {
  const hash = createHash('sha256').update(readFileSync(PRELUDE_FILE))
  return hash.update(GUEST_FUNCTIONS.join()).digest('hex').slice(0, 16)
}
