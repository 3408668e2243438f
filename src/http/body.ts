import type { IncomingMessage } from 'node:http'
import { chunksToText } from '../protocol/framing/chunks-to-text.ts'

export class BodyTooLarge extends Error {
  constructor(limit: number) {
    super(`The request body is over the limit of ${limit} bytes (listen.maxBodyBytes)`)
  }
}

export const readBody = (request: IncomingMessage, maxBytes: number): Promise<string> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new BodyTooLarge(maxBytes)
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) {
        request.removeAllListeners('data')
        reject(new BodyTooLarge(maxBytes))
      } else chunks.push(chunk)
    })
    request.once('end', () => resolve(chunksToText(chunks)))
    request.once('error', reject)
  })
