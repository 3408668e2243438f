const NEWLINE = 0x0a

/**
 * Cuts a stream into lines, each with its end. A bridge passes on whole lines only: what is lost with
 * a connection is then never a part of a message.
 */
export function cutLines(onLine: (line: Buffer) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  return (chunk) => {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start) + 1
      if (end === 0) break
      const piece = chunk.subarray(start, end)
      const line = parts.length === 0 ? piece : Buffer.concat([...parts, piece])
      parts = []
      start = end
      onLine(line)
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  }
}
