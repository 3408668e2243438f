/** The prompts and resources of the test upstream. */
export const PROMPTS = [
  { name: 'greet', description: 'Greets', arguments: [{ name: 'name', required: true }] },
]
export const RESOURCES = [
  { uri: 'test://text', name: 'text', mimeType: 'text/plain', description: 'A text' },
  { uri: 'test://blob', name: 'blob', mimeType: 'application/octet-stream' },
  { uri: 'test://long', name: 'long', mimeType: 'text/plain' },
  { uri: 'test://who', name: 'who', mimeType: 'text/plain', description: 'The name of the server' },
]
export const LONG = Array.from({ length: 5_000 }, (_, n) => `This is line ${n}`).join('\n')
export const TEMPLATES = [
  { uriTemplate: 'test://item/{id}', name: 'item', description: 'Any item' },
]
