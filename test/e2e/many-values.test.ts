import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { MAX_VALUES } from '../../src/base/json/exact-json.ts'
import { parseObject } from '../../src/base/json/json.ts'
import { call, structured, textOf } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

/** Text that would take seconds to parse, and a gigabyte. */
const MANY = `[${'{},'.repeat(10 * MAX_VALUES)}0]`

const PROGRAM = `
  const say = (id, result) => process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + result + '}\\n')
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line)
    if (method === 'initialize') say(id, '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}')
    else if (method === 'tools/list') say(id, '{"tools":[{"name":"many","inputSchema":{"type":"object"}}]}')
    else if (method === 'tools/call') say(id, '{"content":[],"structuredContent":{"a":[' + '{},'.repeat(${10 * MAX_VALUES}) + '0]}}')
    else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n')
  })`

/** A server that answers every call with very many values, as JSON or as a stream of events. */
async function startServer(asEvents: boolean): Promise<string> {
  const server = createServer((request, response) => {
    const send = (message: string) => {
      response.writeHead(200, {
        'content-type': asEvents ? 'text/event-stream' : 'application/json',
      })
      response.end(asEvents ? `data: ${message}\n\n` : message)
    }
    const answer = (body: string) => {
      const { id, method } = parseObject(body) ?? {}
      const results: Record<string, string> = {
        initialize:
          '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}',
        'tools/list': '{"tools":[{"name":"many","inputSchema":{"type":"object"}}]}',
        'tools/call': `{"content":[],"structuredContent":{"a":${MANY}}}`,
      }
      const result = results[String(method)]
      if (id === undefined || result === undefined) return void response.writeHead(405).end()
      send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`)
    }
    void text(request).then(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`
}

it.each(['stdio', 'JSON', 'events'])(
  'an answer of very many values fails its own call only: %s',
  async (wire) => {
    const server =
      wire === 'stdio'
        ? { command: process.execPath, args: ['-e', PROGRAM] }
        : { url: await startServer(wire === 'events') }
    const gateway = await openGateway({ servers: { odd: server, good: stdioUpstream() } })
    const client = await gateway.connect()
    // More often than the breaker allows a server to fail.
    for (let n = 0; n < 6; n++) {
      const failed = await call(client, 'many', {})
      expect(failed['isError']).toBe(true)
      expect(structured(failed)['error']).toMatchObject({
        code: 'RESULT_TOO_LARGE',
        message: expect.stringContaining('more than 1000000 values'),
      })
    }
    expect(textOf(await call(client, 'echo', { text: 'well' }))).toBe('well')
  },
)

it('a request of very many values is refused, and not parsed', async () => {
  const gateway = await openGateway({ servers: { good: stdioUpstream() } })
  const client = await gateway.connect()
  const answer = await fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":${MANY}}}}`,
  })
  expect(answer.status).toBe(413)
  expect(await answer.json()).toMatchObject({
    error: { code: -32_600, message: expect.stringContaining('more than 1000000 values') },
  })
  expect(textOf(await call(client, 'echo', { text: 'well' }))).toBe('well')
})
