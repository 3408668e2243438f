import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { messageOf } from '../../../base/errors.ts'
import { packageFile } from '../../../base/files/package-files.ts'
import { EmbedderError } from '../embedder-error.ts'

/** The model that comes with the package; its checksum tells a damaged file from a whole one. */
const MODEL = { file: packageFile('models', 'portolan-static-1.bin'), checksum: 0xd719446f }

/** Memory that several threads may see without a copy. */
export type ModelBytes = SharedArrayBuffer

let shared: ModelBytes | undefined

/**
 * The bytes of the model, read from disk once per process. A thread is given them in its
 * `workerData` and passes them to `useModelBytes`, so that it reads and holds no copy of its own.
 * Throws `EmbedderError` where the file is missing or damaged.
 */
export function modelBytes(): ModelBytes {
  shared ??= readModel(MODEL.file, MODEL.checksum)
  return shared
}

/** The same for whoever only passes them on: undefined where the file cannot be used. */
export function modelBytesIfAny(): ModelBytes | undefined {
  try {
    return modelBytes()
  } catch {
    return undefined
  }
}

/** Called once at the start of a thread, with what the main thread gave it. */
export function useModelBytes(bytes: ModelBytes | undefined): void {
  shared ??= bytes
}

export function readModel(path: string, checksum: number): ModelBytes {
  const bytes = readShared(path)
  const found = crc32(new Uint8Array(bytes))
  if (found !== checksum)
    throw new EmbedderError(
      'bad-answer',
      `The model file ${path} is damaged (checksum ${found.toString(16)}, expected ${checksum.toString(16)}). Install portolan again`,
    )
  return bytes
}

/** Straight into shared memory: a copy on the way would double the peak. */
function readShared(path: string): ModelBytes {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const bytes = new Uint8Array(new SharedArrayBuffer(fstatSync(file).size))
    for (let at = 0; at < bytes.length;) {
      const read = readSync(file, bytes, at, bytes.length - at, at)
      if (read === 0) break
      at += read
    }
    return bytes.buffer
  } catch (error) {
    throw new EmbedderError(
      'not-installed',
      `The model file ${path} cannot be read: ${messageOf(error)}. Install portolan again`,
      error,
    )
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
