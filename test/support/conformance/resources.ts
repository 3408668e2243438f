import { ProtocolError } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../../src/base/json/json.ts'
import { PNG } from './media.ts'
import type { Session } from './session.ts'

export const resources: Record<
  string,
  { description: string; mimeType: string; body: JsonObject }
> = {
  'test://static-text': {
    description: 'A text that never changes',
    mimeType: 'text/plain',
    body: { text: 'This is the content of the static text resource.' },
  },
  'test://static-binary': {
    description: 'An image that never changes',
    mimeType: 'image/png',
    body: { blob: PNG },
  },
  'test://watched-resource': {
    description: 'A text one can subscribe to',
    mimeType: 'text/plain',
    body: { text: 'Watched.' },
  },
}

export function readResource(uri: string, era: Session['era']): JsonObject {
  const known = resources[uri]
  if (known) return { contents: [{ uri, mimeType: known.mimeType, ...known.body }] }
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id === undefined)
    throw new ProtocolError(era === 'modern' ? -32602 : -32002, 'Resource not found', { uri })
  const body = { id, templateTest: true, data: `Data for ID: ${id}` }
  return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(body) }] }
}
