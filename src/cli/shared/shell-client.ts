import type { Backend } from '../../fronts/backend.ts'
import type { Client } from '../../gateway/call.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { visible } from '../../base/text/visible.ts'
import { VERSION } from '../../base/version.ts'
import { drawingOn } from './terminal/guard-terminal.ts'

/** The client name of calls from a shell, by which rules, audit and dashboard know them. */
const SHELL_NAME = 'portolan call'

interface ShellClientOptions {
  /** If it is in this process, it detects the project. */
  readonly backend?: Pick<Backend, 'detect'>
  /** The client that it stands for. */
  readonly name?: string | undefined
}

/** A client that can only show text. */
export function createShellClient({ backend, name = SHELL_NAME }: ShellClientOptions = {}): Client {
  return {
    session: 'shell',
    transport: 'in-process',
    alone: true,
    era: 'legacy',
    info: { name, version: VERSION },
    capabilities: {},
    logLevel: undefined,
    headers: {},
    request: async (method) => {
      throw new RpcError(RPC.methodNotFound, `A shell cannot answer ${method}`)
    },
    notify: (method, { progress, total, message }) => {
      if (method !== 'notifications/progress' || !process.stderr.isTTY) return
      const [done, all, what] = [progress, total ?? '?', message ?? ''].map(String)
      drawingOn(process.stderr).write(`\r${visible(`${done}/${all} ${what}`)}\u001B[K`)
    },
    project: async () =>
      backend?.detect({ roots: undefined, query: undefined }) ?? {
        path: process.cwd(),
        source: 'cwd',
      },
  }
}
