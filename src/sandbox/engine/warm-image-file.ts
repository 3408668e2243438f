import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { deflateSync, inflate } from 'node:zlib'
import type { Snapshot } from 'quickjs-wasi'
import { packageFile } from '../../base/files/package-files.ts'
import type { Tokens, WarmImage } from '../messages.ts'

const expand = promisify(inflate)

/** Part of the built package; does not exist when run from sources, as in tests. */
export const WARM_IMAGE_FILE = packageFile('dist/sandbox/warm-image.bin')

/** The first line of the file; the memory follows. The image fits only this engine. */
interface Header {
  readonly wasm: string
  readonly tokens: Tokens
  readonly snapshot: Omit<Snapshot, 'memory'>
}

const NEWLINE = 10

export function toFile(
  { snapshot: { memory, ...snapshot }, tokens }: WarmImage,
  wasm: string,
): Buffer {
  const header: Header = { wasm, tokens, snapshot }
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(header)}\n`),
    deflateSync(memory, { level: 9 }),
  ])
}

/** Reads the image; undefined if the file is missing, incomplete, or made for another engine. */
export async function readWarmImage(
  wasm: string,
  file = WARM_IMAGE_FILE,
): Promise<WarmImage | undefined> {
  try {
    const bytes = await readFile(file)
    const end = bytes.indexOf(NEWLINE)
    const header: Header = JSON.parse(bytes.toString('utf8', 0, end))
    if (header.wasm !== wasm) return undefined
    const memory = await expand(bytes.subarray(end + 1))
    return { snapshot: { ...header.snapshot, memory }, tokens: header.tokens }
  } catch {
    return undefined
  }
}
