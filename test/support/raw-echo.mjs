// An MCP server that says back, as text, the very bytes it was asked with. It reads nothing of the
// arguments, so that no parser stands between a test and the wire. `--http` serves HTTP.
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

const TOOLS = JSON.stringify([
  {
    name: 'echo',
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'integer', 'x-mcp-header': 'Id' },
        name: { type: 'string' },
        limit: { type: 'integer', maximum: 'LARGEST' },
        size: { type: 'number' },
      },
    },
  },
]).replace('"LARGEST"', '9223372036854775807')

function answer(text) {
  const { id, method } = JSON.parse(text)
  if (id === undefined) return undefined
  const send = (result) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
  if (method === 'initialize')
    return send(
      '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}',
    )
  if (method === 'tools/list') return send(`{"tools":${TOOLS}}`)
  if (method === 'tools/call')
    return send(`{"content":[{"type":"text","text":${JSON.stringify(text)}}]}`)
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"unknown"}}`
}

if (process.argv.includes('--http')) {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      const text = request.method === 'POST' ? answer(body) : undefined
      if (text === undefined) response.writeHead(request.method === 'POST' ? 202 : 405).end()
      else response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    })
  })
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`))
} else {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const text = answer(line)
    if (text !== undefined) process.stdout.write(`${text}\n`)
  })
}
