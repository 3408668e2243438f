/**
 * A stdio MCP server that lists the text of a file: `node hostile-definitions.mjs <file> [storm]`.
 * With `storm`, it says that its tools have changed whenever it is listed; each listing is a line in
 * `<file>.log`.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [file = '', manner] = process.argv.slice(2)
const LISTS = readFileSync(file, 'utf8')
const GREETING = JSON.stringify({
  protocolVersion: '2025-11-25',
  capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} },
  serverInfo: { name: 'hostile', version: '1' },
})
const ANSWER = JSON.stringify({
  content: [{ type: 'text', text: 'ok' }],
  structuredContent: { said: 'ok' },
})

function answerTo(method) {
  if (method === 'initialize') return GREETING
  if (method === 'tools/call') return ANSWER
  // Each list is read by its own key.
  return method.endsWith('/list') ? LISTS : '{}'
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  if (id === undefined) continue
  process.stdout.write(
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${answerTo(method)}}\n`,
  )
  if (method !== 'tools/list') continue
  appendFileSync(`${file}.log`, `${Date.now()}\n`)
  const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
  if (manner === 'storm') process.stdout.write(`${JSON.stringify(changed)}\n`)
}
