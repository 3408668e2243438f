/**
 * A server of both eras, written with the high-level API of the official SDK as in its guides: it
 * does not use our code, and each tool that asks does so in the way of one era only. The official
 * suite expects these names. `node --import tsx test/support/dual-era/serve-dual-era.ts [port]`
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from '@modelcontextprotocol/node'
import { createMcpHandler, isLegacyRequest, McpServer } from '@modelcontextprotocol/server'
import { registerPlainTools } from './plain-tools.ts'
import { registerPrompts } from './prompts.ts'
import { registerPushingTools } from './pushing-tools.ts'
import { registerResources } from './resources.ts'
import { registerRoundsTools, requestState } from './rounds-tools.ts'

type NodeRequest = IncomingMessage & { method: string; url: string }

export async function serveDualEra(port = 0) {
  const sessions = new Map<
    string,
    { transport: NodeStreamableHTTPServerTransport; server: McpServer }
  >()

  function buildServer(): McpServer {
    const capabilities = {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
      logging: {},
    }
    const server = new McpServer(
      { name: 'dual-era', version: '1.0.0' },
      { capabilities, requestState: { verify: async (...args) => requestState.verify(...args) } },
    )
    registerPlainTools(server)
    registerPushingTools(server)
    registerRoundsTools(server)
    registerPrompts(server)
    registerResources(server)
    server.registerTool(
      'test_trigger_tool_change',
      { description: 'Tells of new tools' },
      async () => {
        modern.notify.toolsChanged()
        for (const { server: old } of sessions.values()) old.sendToolListChanged()
        return { content: [{ type: 'text', text: 'Told' }] }
      },
    )
    server.registerTool(
      'test_trigger_prompt_change',
      { description: 'Tells of new prompts' },
      async () => {
        modern.notify.promptsChanged()
        for (const { server: old } of sessions.values()) old.sendPromptListChanged()
        return { content: [{ type: 'text', text: 'Told' }] }
      },
    )
    return server
  }

  const modern = createMcpHandler(buildServer, { legacy: 'reject' })
  const answerModern = toNodeHandler(modern)

  async function openSession(): Promise<NodeStreamableHTTPServerTransport> {
    const server = buildServer()
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, { transport, server }),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    await server.connect(transport)
    return transport
  }

  const validHost = localhostHostValidation()
  const validOrigin = localhostOriginValidation()
  const http = createServer((request, response) => {
    if (!validHost(request, response) || !validOrigin(request, response)) return
    const { method = 'GET', url = '/' } = request
    const given: NodeRequest = Object.assign(request, { method, url })
    void (async () => {
      const body = method === 'POST' ? await json(request).catch(() => undefined) : undefined
      const known = sessions.get(String(request.headers['mcp-session-id']))
      if (known) return known.transport.handleRequest(given, response, body)
      if (!(await isLegacyRequest(await toWebRequest(given, body), body)))
        return answerModern(given, response, body)
      if (request.headers['mcp-session-id'] !== undefined)
        return void response.writeHead(404).end('Session not found')
      const transport = await openSession()
      return transport.handleRequest(given, response, body)
    })()
  })
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  const address = http.address()
  if (address === null || typeof address === 'string') throw new Error('Not listening on a port')
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    async close(): Promise<void> {
      await modern.close()
      http.close()
      http.closeAllConnections()
    },
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { url } = await serveDualEra(Number(process.argv[2] ?? 0))
  process.stdout.write(`${url}\n`)
}
