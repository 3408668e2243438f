import { HttpError } from '../http/http-error.ts'

/** What is over the limit is read and dropped: closed while it sends, a client may miss the answer. */
export async function readText({ body }: Request, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size <= maxBytes) chunks.push(chunk)
  }
  if (size > maxBytes)
    throw new HttpError(413, 'TOO_LARGE', `The request is larger than ${maxBytes} bytes`)
  return Buffer.concat(chunks).toString()
}
