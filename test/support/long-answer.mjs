import { createInterface } from 'node:readline'

const text = Array.from({ length: 6_000 }, (_, i) => `line ${i} of a long answer`).join('\n')
const tools = [
  { name: 'create_customer', description: 'Creates one.', inputSchema: { type: 'object' } },
  { name: 'delete_all', description: 'Removes them.', inputSchema: { type: 'object' } },
]

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'long', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': () => ({ content: [{ type: 'text', text }] }),
  ping: () => ({}),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined || method === undefined) return
  const answer = ANSWERS[method]
  const said = answer
    ? { result: answer(params) }
    : { error: { code: -32_601, message: 'Method not found' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n`)
})
