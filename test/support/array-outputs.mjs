// A server of both eras, made with the official SDK, whose tools return values that are no objects.
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const answer = (structuredContent) => async () => ({
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
  structuredContent,
})

serveStdio(() => {
  const server = new McpServer({ name: 'arrays', version: '1' })
  const inputSchema = z.object({})
  server.registerTool(
    'names',
    { inputSchema, outputSchema: z.array(z.string()) },
    answer(['Ada', 'Wim']),
  )
  server.registerTool(
    'name-or-number',
    { inputSchema, outputSchema: z.union([z.object({ name: z.string() }), z.number()]) },
    answer({ name: 'Ada' }),
  )
  server.registerTool(
    'person',
    { inputSchema, outputSchema: z.object({ name: z.string() }) },
    answer({ name: 'Ada' }),
  )
  return server
})
