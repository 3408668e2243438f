import type { OpenAPIHono } from '@hono/zod-openapi'

export interface TracesEnv {
  Variables: { requestId: string }
  /** Set by the Node server; absent when the app is called in process. */
  Bindings: { incoming?: { socket?: { remoteAddress?: string } } }
}

export type TracesApp = OpenAPIHono<TracesEnv>
