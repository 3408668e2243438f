import type { JsonObject } from '../../../base/json/json.ts'
import type { Config } from '../../../config/load.ts'
import { RPC, RpcError } from '../../../protocol/json-rpc.ts'
import { createShellClient } from '../shell-client.ts'
import { findGateway } from '../running-gateway.ts'
import type { Question } from './ask.ts'

export interface Asked {
  readonly url: string
  readonly result: JsonObject
}

/** Asks the gateway that already runs with these files; undefined if none does. */
export async function askRunning(
  config: Config,
  { method, params, agent, key }: Question,
): Promise<Asked | undefined> {
  const gateway = await findGateway(config, key)
  if (!gateway) return undefined
  const { connectHttp } = await import('../../../upstreams/http/connect-http.ts')
  const url = new URL(config.settings.listen.path, gateway.url)
  url.searchParams.set('project_path', process.cwd())
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
    return { url: gateway.url, result: await link.request(method, params, { signal, client }) }
  } finally {
    await link.close()
  }
}
