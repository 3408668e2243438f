import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server'
import * as z from 'zod/v4'

const confirmation = z.object({ confirm: z.boolean() })

/** A server with the SDK's defaults: both eras on one URL, the legacy era without sessions. */
export async function startStatelessServer() {
  const handler = createMcpHandler(({ era }) => {
    const server = new McpServer({ name: 'stateless', version: '1.0.0' })
    server.registerTool('era', { description: 'Names the era of the call' }, async () => ({
      content: [{ type: 'text', text: era }],
    }))
    server.registerTool(
      'deploy',
      { description: 'Deploys after a question', inputSchema: z.object({ env: z.string() }) },
      async ({ env }, context) => {
        const answer = acceptedContent(context.mcpReq.inputResponses, 'confirm', confirmation)
        if (answer?.confirm === true)
          return { content: [{ type: 'text', text: `Deployed to ${env}` }] }
        const message = `Deploy to ${env}?`
        const confirm = inputRequired.elicit({ message, requestedSchema: confirmation })
        return inputRequired({ inputRequests: { confirm } })
      },
    )
    return server
  })
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
    async close(): Promise<void> {
      await handler.close()
      http.close()
      http.closeAllConnections()
    },
  }
}
