import type { Backend } from '../../fronts/backend.ts'
import type { Client } from '../../gateway/call.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { VERSION } from '../../base/version.ts'

/** A client that can show text and nothing else. */
export function createShellClient({ detect }: Pick<Backend, 'detect'>): Client {
  return {
    session: 'shell',
    transport: 'in-process',
    alone: true,
    era: 'legacy',
    info: { name: 'portolan call', version: VERSION },
    capabilities: {},
    logLevel: undefined,
    headers: {},
    request: async (method) => {
      throw new RpcError(RPC.methodNotFound, `A shell cannot answer ${method}`)
    },
    notify: (method, { progress, total, message }) => {
      if (method !== 'notifications/progress' || !process.stderr.isTTY) return
      const [done, all, what] = [progress, total ?? '?', message ?? ''].map(String)
      process.stderr.write(`\r${done}/${all} ${what}\u001B[K`)
    },
    project: async () => detect({ roots: undefined, query: undefined }),
  }
}
