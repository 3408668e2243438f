import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { messageOf } from '../../../base/errors.ts'
import { packageFile } from '../../../base/files/package-files.ts'
import { EmbedderError } from '../embedder-error.ts'

/** The bundled model; its checksum detects a damaged file. */
const MODEL = { file: packageFile('assets/models', 'portolan-static-1.bin'), checksum: 0xd719446f }

/** Memory that several threads share without a copy. */
export type ModelBytes = SharedArrayBuffer

let shared: ModelBytes | undefined

/**
 * Returns the bytes of the model, read from disk once per process. A worker thread gets them in its
 * `workerData` and passes them to `useModelBytes`, so that it neither reads nor holds its own copy.
 * Throws `EmbedderError` if the file is missing or damaged.
 */
export function modelBytes(): ModelBytes {
  shared ??= readModel(MODEL.file, MODEL.checksum)
  return shared
}

/** The same for callers that only pass them on: undefined if the file cannot be used. */
export function modelBytesIfAny(): ModelBytes | undefined {
  try {
    return modelBytes()
  } catch {
    return undefined
  }
}

/** Call it once at the start of a thread, with the bytes from the main thread. */
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

/** Reads directly into shared memory: an intermediate copy would double the peak. */
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
