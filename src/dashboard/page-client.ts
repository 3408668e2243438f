import type { JsonObject } from '../base/json/json.ts'
import type { Client } from '../gateway/call.ts'
import type { Sources } from './sources.ts'

export interface PageClientOptions {
  /** Calls that share it may share a connection to a stateful server. */
  readonly session: string
  /** How it introduces itself in the audit. */
  readonly name?: string | undefined
  /** Called with the progress of a long call. */
  readonly onProgress?: ((progress: JsonObject) => void) | undefined
}

/** The pages as a client of tools. It has no headers: the visitor's key must not reach a server. */
export function pageClient(
  { backend }: Pick<Sources, 'backend'>,
  { session, name, onProgress }: PageClientOptions,
): Client {
  return {
    session,
    transport: 'http',
    alone: false,
    era: 'modern',
    info: name === undefined ? undefined : { name },
    capabilities: {},
    logLevel: undefined,
    headers: {},
    request: async (method) => {
      throw new Error(`The dashboard cannot be asked for ${method}`)
    },
    notify: (method, params) => {
      if (method === 'notifications/progress') onProgress?.(params)
    },
    project: async () => backend.detect({ roots: undefined, query: undefined }),
  }
}
