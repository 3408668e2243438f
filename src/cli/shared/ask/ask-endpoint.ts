import type { JsonObject } from '../../../base/json/json.ts'
import { RPC, RpcError } from '../../../protocol/json-rpc.ts'
import { createShellClient } from '../shell-client.ts'
import type { Question } from './ask.ts'

/** Sends one request to the MCP endpoint of a running Portolan. */
export async function askEndpoint(
  url: URL,
  { method, params, agent, key }: Question,
): Promise<JsonObject> {
  const { connectHttp } = await import('../../../upstreams/http/connect-http.ts')
  const client = createShellClient()
  const connect = connectHttp({
    url,
    protocol: 'auto',
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(agent !== undefined && { 'x-agent-id': agent }),
    },
    credentials: undefined,
    hide: (text) => text,
  })
  const { signal } = new AbortController()
  const events = {
    request: async (asked: string) => {
      throw new RpcError(RPC.methodNotFound, `A shell cannot answer ${asked}`)
    },
    notification: (name: string, content: JsonObject) => client.notify(name, content),
    log: () => undefined,
  }
  const link = await connect(events, { owner: client, era: 'modern', signal })
  try {
    return await link.request(method, params, { signal, client })
  } finally {
    await link.close()
  }
}
