// An MCP server whose definitions are malformed in ways that published servers have, beside good ones.
import { createInterface } from 'node:readline'

const TOOLS = [
  { name: 'good', inputSchema: { type: 'object' } },
  { name: 'no-type', inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#' } },
  { name: 'no-schema' },
  { name: 'nulls', title: null, annotations: null, inputSchema: { type: 'object' } },
  { name: 'odd-output', inputSchema: { type: 'object' }, outputSchema: { $ref: '#/missing' } },
  { name: 'text-input', inputSchema: { type: 'string' } },
  { inputSchema: { type: 'object' } },
]
const ANSWERS = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, prompts: {} },
    serverInfo: { name: 'odd', version: '1' },
  },
  'tools/list': { tools: TOOLS },
  'prompts/list': { prompts: [{ name: 'ask', arguments: null }] },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  const result = ANSWERS[method]
  const answer = result ? { result } : { error: { code: -32601, message: 'unknown' } }
  if (id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
}
