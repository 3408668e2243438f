import type { FileHandle } from 'node:fs/promises'

const CHUNK = 256 << 10
const NEWLINE = 0x0a

/**
 * Shows the lines of a file that end before `end`, the last one first, with the offset each begins
 * at, until `visit` returns false. Reads in chunks, so other work goes on in between.
 * Returns whether it came to the beginning of the file.
 */
export async function linesBackwards(
  file: FileHandle,
  end: number,
  visit: (line: string, offset: number) => boolean,
): Promise<boolean> {
  /** The beginning of a line whose end is in `tail`, still to be read. */
  let tail: Buffer = Buffer.alloc(0)
  for (let position = end; position > 0;) {
    const size = Math.min(CHUNK, position)
    position -= size
    const chunk = Buffer.allocUnsafe(size)
    const { bytesRead } = await file.read(chunk, 0, size, position)
    const bytes = Buffer.concat([chunk.subarray(0, bytesRead), tail])
    let stop = bytes.length
    for (;;) {
      const newline = stop === 0 ? -1 : bytes.lastIndexOf(NEWLINE, stop - 1)
      if (newline === -1) break
      if (
        newline + 1 < stop &&
        !visit(bytes.toString('utf8', newline + 1, stop), position + newline + 1)
      )
        return false
      stop = newline
    }
    tail = bytes.subarray(0, stop)
  }
  return tail.length === 0 || visit(tail.toString('utf8'), 0)
}
