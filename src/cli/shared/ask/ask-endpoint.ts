import { messageOf } from '../../../base/errors.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { isLoopback } from '../../../base/net/net.ts'
import { GatewayError } from '../../../gateway/errors.ts'
import { RPC, RpcError } from '../../../protocol/json-rpc.ts'
import { createShellClient } from '../shell-client.ts'
import type { Question } from './ask.ts'

/** Sends one request to the MCP endpoint at an address that somebody gave. */
export async function askElsewhere(address: string, question: Question): Promise<JsonObject> {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new GatewayError('INVALID_PARAMS', `'${address}' is not the address of a gateway`, {
      hint: 'Give the address of its MCP endpoint, such as http://127.0.0.1:7411/mcp.',
    })
  if (url.pathname === '/') url.pathname = '/mcp'
  // Another machine does not have this folder.
  if (isLoopback(url.hostname)) url.searchParams.set('project_path', process.cwd())
  return askEndpoint(url, question).catch((error: unknown) => {
    if (!(error instanceof RpcError || error instanceof GatewayError))
      throw new GatewayError(
        'SERVER_UNAVAILABLE',
        `${url.origin}${url.pathname}: ${messageOf(error)}`,
        {
          hint: 'Check the address, and whether the gateway runs.',
          cause: error,
        },
      )
    const { data } = error instanceof RpcError ? error : {}
    if (!isObject(data) || data['code'] !== 'UNAUTHENTICATED') throw error
    throw new GatewayError('UNAUTHENTICATED', `${url.origin}: ${messageOf(error)}`, {
      hint: 'Set PORTOLAN_KEY to the key of an agent there.',
      cause: error,
    })
  })
}

/** Sends one request to the MCP endpoint of a running Portolan. */
export async function askEndpoint(
  url: URL,
  { method, params, agent, client: caller, key }: Question,
): Promise<JsonObject> {
  const { connectHttp } = await import('../../../upstreams/http/connect-http.ts')
  const client = createShellClient({ name: caller })
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
