import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { PNG } from '../conformance/media.ts'

export function registerResources(server: McpServer): void {
  server.registerResource(
    'static-text',
    'test://static-text',
    { description: 'A text', mimeType: 'text/plain' },
    async ({ href: uri }) => ({
      contents: [
        { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
      ],
    }),
  )
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'An image', mimeType: 'image/png' },
    async ({ href: uri }) => ({ contents: [{ uri, mimeType: 'image/png', blob: PNG }] }),
  )
  server.registerResource(
    'watched-resource',
    'test://watched-resource',
    { description: 'A text to subscribe to', mimeType: 'text/plain' },
    async ({ href: uri }) => ({ contents: [{ uri, mimeType: 'text/plain', text: 'Watched.' }] }),
  )
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Data of any id', mimeType: 'application/json' },
    async ({ href: uri }, { id }) => {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` })
      return { contents: [{ uri, mimeType: 'application/json', text }] }
    },
  )
  // The SDK leaves legacy subscriptions to the server.
  server.server.setRequestHandler('resources/subscribe', async () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', async () => ({}))
}
