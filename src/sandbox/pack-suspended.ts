import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import type { SuspendedRun } from './messages.ts'

const compress = promisify(deflateRaw)
const expand = promisify(inflateRaw)

/** A script's memory is mostly zeros and repetition: higher levels gain little and take longer. */
const LEVEL = 1
const LENGTH_BYTES = 4

/** Packs a suspended script and its host's memo into bytes, off the main thread. */
export async function packSuspended(suspended: SuspendedRun, memo: unknown): Promise<Buffer> {
  const { image, ...rest } = suspended
  const { memory, ...snapshot } = image.snapshot
  const head = Buffer.from(JSON.stringify({ ...rest, image: { ...image, snapshot }, memo }))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(head.length)
  return compress(Buffer.concat([length, head, memory]), { level: LEVEL })
}

export interface StoredScript<Memo> {
  readonly suspended: SuspendedRun
  readonly memo: Memo
}

/** Unpacks bytes of `packSuspended`; the store must ensure that nobody has changed them. */
export async function unpackSuspended<Memo>(packed: Uint8Array): Promise<StoredScript<Memo>> {
  const bytes = await expand(packed)
  const end = LENGTH_BYTES + bytes.readUInt32LE(0)
  const { memo, image, ...rest } = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, end))
  // A copy: the memory is transferred to the thread, and that of a Buffer may be shared.
  const memory = Uint8Array.from(bytes.subarray(end))
  return {
    memo,
    suspended: { ...rest, image: { ...image, snapshot: { ...image.snapshot, memory } } },
  }
}
