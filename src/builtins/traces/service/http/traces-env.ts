import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Account } from '../../../../storage/tables/trace-tables.ts'

export interface TracesEnv {
  Variables: { requestId: string; account: Account }
  /** Set by the Node server; absent when the app is called in process. */
  Bindings: { incoming?: { socket?: { remoteAddress?: string } } }
}

export type TracesApp = OpenAPIHono<TracesEnv>
