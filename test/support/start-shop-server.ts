import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  acceptedContent,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server'
import * as z from 'zod/v4'
import { deferred } from './deferred.ts'

const approval = z.object({ ok: z.boolean() })
const item = z.object({ item: z.string() })

function said(value: Record<string, unknown>) {
  const content = [{ type: 'text' as const, text: JSON.stringify(value) }]
  return { content, structuredContent: value }
}

/** A shop that records purchases, and asks a person before an approval. */
export async function startShopServer() {
  const bought: string[] = []
  // The SDK seals the state that comes back through the client, and refuses changed state.
  const requestState = createRequestStateCodec<{ item: string }>({
    key: crypto.getRandomValues(new Uint8Array(32)),
  })
  const opening = deferred<void>()
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(
        { name: 'shop', version: '1.0.0' },
        { requestState: { verify: async (...args) => requestState.verify(...args) } },
      )
      server.registerTool(
        'price',
        { description: 'What it costs', inputSchema: item },
        async (of) => said({ ...of, price: 12, supplier: 'classified-supplier' }),
      )
      server.registerTool('buy', { description: 'Buys it', inputSchema: item }, async (of) => {
        bought.push(of.item)
        return said({ orders: bought.length })
      })
      server.registerTool('wait', { description: 'Answers when the shop opens' }, async () => {
        await opening.promise
        return said({ open: true })
      })
      server.registerTool(
        'approve',
        { description: 'Asks a person', inputSchema: item },
        async (of, { mcpReq }) => {
          const answer = acceptedContent(mcpReq.inputResponses, 'ok', approval)
          const asked = mcpReq.requestState<{ item: string }>()
          if (answer && asked) return said({ item: asked.item, approved: answer.ok })
          const ok = inputRequired.elicit({ message: `Buy ${of.item}?`, requestedSchema: approval })
          return inputRequired({
            inputRequests: { ok },
            requestState: await requestState.mint({ item: of.item }),
          })
        },
      )
      return server
    },
    { legacy: 'reject' },
  )
  const answer = toNodeHandler(handler)
  const http = createServer((request, response) => {
    const { method = 'GET', url = '/' } = request
    void answer(Object.assign(request, { method, url }), response)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const address = http.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    /** What was bought so far. */
    bought,
    /** Lets `wait` answer. */
    open: () => opening.resolve(),
    async close(): Promise<void> {
      await handler.close()
      http.close()
      http.closeAllConnections()
    },
  }
}
