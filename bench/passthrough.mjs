/**
 * The least a gateway can do: read a request, swap its id, forward it to one upstream, and the answer
 * back. No policy, no audit, no deadline. It is what Portolan's cost is measured against, and it takes
 * the same command line: `node bench/passthrough.mjs serve --port 0`, with `.mcp.json` in the cwd.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, createServer, request as httpRequest } from 'node:http'

const [upstream] = Object.values(JSON.parse(readFileSync('.mcp.json', 'utf8')).mcpServers)
const forward = upstream.url ? overHttp(upstream.url) : overStdio(upstream)

function overStdio({ command, args, env }) {
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const waiting = new Map()
  let parts = ''
  let lastId = 0
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (chunk) => {
    const lines = (parts + chunk).split('\n')
    parts = lines.pop()
    for (const line of lines) {
      const message = JSON.parse(line)
      const take = waiting.get(message.id)
      waiting.delete(message.id)
      take?.(message)
    }
  })
  const send = (message, take) => {
    message.id = ++lastId
    waiting.set(message.id, take)
    child.stdin.write(`${JSON.stringify(message)}\n`)
  }
  const clientInfo = { name: 'passthrough', version: '1.0.0' }
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  send({ jsonrpc: '2.0', method: 'initialize', params }, () => {})
  return (message, _, take) => {
    const modern = message.params?.['_meta'] !== undefined
    if (modern) delete message.params['_meta']
    send(message, (answer) => {
      if (modern && answer.result) answer.result.resultType = 'complete'
      take(answer)
    })
  }
}

function overHttp(url) {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 })
  const target = new URL(url)
  let lastId = 0
  return (message, headers, take) => {
    message.id = ++lastId
    const body = JSON.stringify(message)
    const sent = httpRequest(
      {
        agent,
        host: target.hostname,
        port: target.port,
        path: target.pathname,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'content-length': Buffer.byteLength(body),
          'mcp-protocol-version': headers['mcp-protocol-version'],
          ...(headers['mcp-method'] && { 'mcp-method': headers['mcp-method'] }),
          ...(headers['mcp-name'] && { 'mcp-name': headers['mcp-name'] }),
          ...(headers['mcp-session-id'] && { 'mcp-session-id': headers['mcp-session-id'] }),
        },
      },
      (response) => {
        const chunks = []
        const session = response.headers['mcp-session-id']
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () => take(JSON.parse(Buffer.concat(chunks).toString()), session))
      },
    )
    sent.end(body)
  }
}

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks).toString())
    const { id } = message
    if (id === undefined) return response.writeHead(202).end()
    return forward(message, request.headers, (answer, session) => {
      answer.id = id
      if (session) response.setHeader('mcp-session-id', session)
      const body = JSON.stringify(answer)
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
    })
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`portolan listening on http://127.0.0.1:${server.address().port}\n`)
})
