import { endWithParent } from '../../../base/flow/start-process.ts'
import { countTokens } from '../../../shaping/tokens.ts'
import { DocumentError } from '../documents/document-error.ts'
import { type ReadRequest, createDocumentReader } from './document-reader.ts'
import type { FromReader } from './document-process.ts'

const reader = createDocumentReader((text) => countTokens(text))
endWithParent()
const send = (message: FromReader) => process.send?.(message)

process.on('message', (request: ReadRequest) => void answer(request).then(send))

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
