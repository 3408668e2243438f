import { parentPort } from 'node:worker_threads'
import { countTokens } from '../../../shaping/tokens.ts'
import { DocumentError } from '../documents/document-error.ts'
import { type ReadRequest, createDocumentReader } from './document-reader.ts'
import type { FromReader } from './document-thread.ts'

if (!parentPort) throw new Error('document-worker runs only as a worker thread')

const port = parentPort
const reader = createDocumentReader((text) => countTokens(text, 'cl100k_base'))
// A thread has no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
const send = (message: FromReader): void => port.postMessage(message)

port.on('message', (request: ReadRequest) => void answer(request).then(send))

async function answer(request: ReadRequest): Promise<FromReader> {
  try {
    const onPage = (page: number, pages: number) => send({ type: 'page', page, pages })
    return { type: 'read', document: await reader.read(request, { onPage }) }
  } catch (error) {
    if (!(error instanceof DocumentError)) return { type: 'failed', message: String(error) }
    const { code, message, suggestion } = error
    return { type: 'refused', error: { code, message, suggestion } }
  }
}
