import type { MessagePort } from 'node:worker_threads'
import type { CountTokens } from '../chunks/chunk.ts'
import { DocumentError } from '../documents/document-error.ts'
import { type ReadRequest, createDocumentReader } from './document-reader.ts'
import type { FromReader } from './document-thread.ts'

/** The other side of `DocumentThread`. */
export function serveDocuments(port: MessagePort, countTokens: CountTokens): void {
  const reader = createDocumentReader(countTokens)
  // A thread has no origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  const tell = (message: FromReader): void => port.postMessage(message)

  async function answer(request: ReadRequest): Promise<FromReader> {
    try {
      const onPage = (page: number, pages: number) => tell({ type: 'page', page, pages })
      return { type: 'read', document: await reader.read(request, { onPage }) }
    } catch (error) {
      if (!(error instanceof DocumentError)) return { type: 'failed', message: String(error) }
      const { code, message, suggestion } = error
      return { type: 'refused', error: { code, message, suggestion } }
    }
  }

  port.on('message', (request: ReadRequest) => void answer(request).then(tell))
}
