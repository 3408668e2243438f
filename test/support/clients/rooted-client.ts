import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'

export interface RootedClient {
  /** Returns the names of the tools it sees. */
  tools(): Promise<string[]>
  /** Calls a tool and parses the text of its answer; throws on a refusal. */
  call(tool: string, args?: Record<string, unknown>): Promise<unknown>
  /** Opens other folders and notifies the server, which asks for the roots again. */
  open(...uris: string[]): Promise<void>
}

/** The official client, with the folders of its user; without any, it does not declare roots. */
export async function aRootedClient(
  transport: Transport,
  ...uris: string[]
): Promise<RootedClient> {
  let roots = uris
  const capabilities = uris.length > 0 ? { roots: { listChanged: true } } : {}
  const client = new Client({ name: 'editor', version: '1' }, { capabilities })
  if (uris.length > 0)
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((uri) => ({ uri })),
    }))
  await client.connect(transport)
  onTestFinished(async () => client.close().catch(() => undefined))
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args = {}) {
      const { content, isError } = await client.callTool({ name, arguments: args })
      const [block]: { text?: string }[] = Array.isArray(content) ? content : []
      if (isError) throw new Error(block?.text)
      return JSON.parse(block?.text ?? '')
    },
    async open(...others) {
      roots = others
      await client.sendRootsListChanged()
    },
  }
}
