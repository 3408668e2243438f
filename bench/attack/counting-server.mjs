/**
 * A stdio MCP server that writes each text it is sent as a line of a file: `node counting-server.mjs
 * <file>`. Its tools, its template of resources and its prompt take one text.
 */
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [file = ''] = process.argv.slice(2)
const inputSchema = { type: 'object', properties: { text: { type: 'string' } } }
const GREETING = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {}, prompts: {}, resources: {} },
  serverInfo: { name: 'counting', version: '1' },
}
const LISTS = {
  initialize: GREETING,
  'tools/list': {
    tools: [
      { name: 'act', description: 'Does something', inputSchema },
      { name: 'look', inputSchema, annotations: { readOnlyHint: true } },
    ],
  },
  'prompts/list': { prompts: [{ name: 'greet', arguments: [{ name: 'text' }] }] },
  'resources/list': { resources: [] },
  'resources/templates/list': {
    resourceTemplates: [{ uriTemplate: 'count://{text}', name: 'item' }],
  },
}
const DONE = {
  'tools/call': (text) => ({ content: [{ type: 'text', text: `did ${text}` }] }),
  'prompts/get': (text) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `did ${text}` } }],
  }),
  'resources/read': (text, { uri }) => ({ contents: [{ uri, text: `did ${text}` }] }),
}

function answerTo(method, params = {}) {
  const text = params.arguments?.text ?? params.uri?.replace('count://', '')
  if (Object.hasOwn(DONE, method)) {
    appendFileSync(file, `${text}\n`)
    return DONE[method](text, params)
  }
  return LISTS[method] ?? {}
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined || method === undefined) continue
  const result = answerTo(method, params)
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
}
