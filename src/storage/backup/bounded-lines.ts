import { StorageError } from '../storage-failure.ts'

/** Far longer than any row; an endless line would exhaust the memory. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024

/** Splits a byte stream into lines; throws on a too long line before it is complete. */
export async function* boundedLines(
  source: AsyncIterable<Buffer>,
  longest = MAX_LINE_LENGTH,
): AsyncGenerator<string> {
  let parts: Buffer[] = []
  let bytes = 0
  const take = (part: Buffer): void => {
    bytes += part.length
    if (bytes > longest)
      throw new StorageError(
        `A line of the backup is longer than ${longest} bytes: it is no backup of Portolan`,
      )
    parts.push(part)
  }
  const end = (): string => {
    const line = Buffer.concat(parts).toString()
    parts = []
    bytes = 0
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }
  for await (const chunk of source) {
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, at))
      yield end()
      from = at + 1
    }
    if (from < chunk.length) take(chunk.subarray(from))
  }
  if (bytes > 0) yield end()
}
