/** Of so many characters a piece is made, so that no text of the whole is ever in memory. */
const PIECE = 1 << 20
const LINE_FEED = 10

/** Values as lines of JSON, in pieces. */
export function toJsonLines(values: Iterable<unknown>): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let text = ''
  for (const value of values) {
    text += `${JSON.stringify(value)}\n`
    if (text.length < PIECE) continue
    pieces.push(Buffer.from(text))
    text = ''
  }
  return [...pieces, Buffer.from(text)]
}

/** The values of all whole lines; what follows the last of them is none. */
export function* fromJsonLines(lines: Buffer): Generator<unknown, undefined> {
  let at = 0
  for (;;) {
    const end = lines.indexOf(LINE_FEED, at)
    if (end < 0) return
    const value: unknown = JSON.parse(lines.toString('utf8', at, end))
    yield value
    at = end + 1
  }
}
