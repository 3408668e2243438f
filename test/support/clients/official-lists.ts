import { Client as ClientV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { type JsonObject, isObject } from '../../../src/base/json/json.ts'
import { CLIENT_INFO } from './session.ts'

/** The lists of a server, by the key of their entries. */
export interface Lists {
  readonly tools: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  readonly resources: readonly JsonObject[]
  readonly resourceTemplates: readonly JsonObject[]
}

/** An official client, and what the server at its other end lists. */
export interface OfficialClient {
  readonly era: 'legacy' | 'modern'
  /** Lists everything; rejects if the client refuses one of the lists. */
  list(lists: Lists): Promise<Lists>
  close(): Promise<void>
}

const METHODS: Readonly<Record<string, keyof Lists>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
}
const CAPABILITIES = { tools: {}, prompts: {}, resources: {} }
const INFO = { name: 'lists', version: '1' }
const EMPTY: Lists = { tools: [], prompts: [], resources: [], resourceTemplates: [] }

/** A transport of both SDKs to a server that answers with the lists of the moment. */
class ListTransport {
  lists = EMPTY
  onmessage?: (message: unknown) => void
  onclose?: () => void
  onerror?: (error: Error) => void

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.()
  }

  async send(message: unknown): Promise<void> {
    if (!isObject(message) || message['id'] === undefined) return
    const { id, method } = message
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: this.#answer(String(method)) })
    queueMicrotask(() => this.onmessage?.(JSON.parse(text)))
  }

  #answer(method: string): JsonObject {
    const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    const key = METHODS[method]
    if (key) return { ...complete, [key]: this.lists[key] }
    if (method === 'server/discover')
      return { ...complete, supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES }
    return { protocolVersion: '2025-11-25', capabilities: CAPABILITIES, serverInfo: INFO }
  }
}

/** Opens version 1 of the SDK, and version 2 in both eras. */
export async function officialClients(): Promise<OfficialClient[]> {
  const first = new ListTransport()
  const v1 = new ClientV1(CLIENT_INFO)
  await v1.connect(first)
  const both = await Promise.all(
    (['legacy', 'modern'] as const).map(async (era) => {
      const transport = new ListTransport()
      const client = new ClientV2(CLIENT_INFO, {
        versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
      })
      await client.connect(transport)
      return official(era, transport, client)
    }),
  )
  return [official('legacy', first, v1), ...both]
}

function official(
  era: OfficialClient['era'],
  transport: ListTransport,
  client: ClientV1 | ClientV2,
): OfficialClient {
  return {
    era,
    async list(lists) {
      transport.lists = lists
      const { tools } = await client.listTools()
      const { prompts } = await client.listPrompts()
      const { resources } = await client.listResources()
      const { resourceTemplates } = await client.listResourceTemplates()
      return { tools, prompts, resources, resourceTemplates }
    },
    close: async () => client.close(),
  }
}
