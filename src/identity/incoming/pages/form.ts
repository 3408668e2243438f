import type { IncomingMessage } from 'node:http'

const MOST_BYTES = 16 * 1024

/** The fields of a form that a browser sends. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    const piece = Buffer.from(part)
    bytes += piece.length
    if (bytes > MOST_BYTES) throw new Error('The form is too large')
    parts.push(piece)
  }
  return new URLSearchParams(Buffer.concat(parts).toString('utf8'))
}
