/** A server whose tools have names that look like others, or that fill the screen. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const NAMES = ['\u202Eelif_eteled', '<img src=x onerror=alert(1)>', 'tool'.repeat(60)]

const server = new Server({ name: 'hostile', version: '1' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: NAMES.map((name) => ({ name, inputSchema: { type: 'object' } })),
}))
server.setRequestHandler(CallToolRequestSchema, async () => ({ content: [] }))
await server.connect(new StdioServerTransport())
