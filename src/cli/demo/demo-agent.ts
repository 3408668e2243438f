import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { VERSION } from '../../base/version.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { definitionTokens } from '../../app/health/probe.ts'

export interface Answer {
  readonly text: string
  readonly isError: boolean
}

/** An agent of the tour: the official client, over HTTP, under a name. */
export interface DemoAgent {
  readonly name: string
  /** Tokens of the tools it is shown. */
  listTokens(): Promise<{ tools: number; tokens: number }>
  call(tool: string, args: JsonObject): Promise<Answer>
  close(): Promise<void>
}

export async function openAgent(name: string, endpoint: string): Promise<DemoAgent> {
  const client = new Client({ name: `portolan-demo-${name}`, version: VERSION })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(endpoint), {
      requestInit: { headers: { 'x-agent-id': name } },
    }),
  )
  return {
    name,
    async listTokens() {
      const { tools } = await client.listTools()
      return { tools: tools.length, tokens: definitionTokens(tools) }
    },
    async call(tool, args) {
      const result = await client.callTool({ name: tool, arguments: args })
      const texts = result.content.map((block) => (block.type === 'text' ? block.text : ''))
      const isError = result.isError === true
      // The rule behind a refusal is in the part of the answer that programs read.
      if (isError) texts.push(JSON.stringify(result.structuredContent))
      return { text: texts.join('\n'), isError }
    },
    close: async () => client.close(),
  }
}
