import { onTestFinished } from 'vitest'
import type { Backend } from '../../src/fronts/backend.ts'
import { createSessionIds } from '../../src/fronts/session-ids.ts'
import { type HttpServer, startHttpServer } from '../../src/http/server.ts'
import { aBackend } from './a-backend.ts'

/** The HTTP server before a gateway that offers nothing, on a free port, until the test ends. */
export async function aServer(
  backend: Partial<Backend> = {},
  maxBodyBytes = 1_000_000,
): Promise<HttpServer> {
  const server = await startHttpServer({
    backend: aBackend(backend),
    host: '127.0.0.1',
    port: 0,
    path: '/mcp',
    maxBodyBytes,
    sessions: {
      ids: createSessionIds(() => Buffer.alloc(32)),
      idleMs: 60_000,
      releaseMs: 60_000,
    },
    surface: undefined,
    allowedHosts: [],
    allowedOrigins: [],
    site: async (_request, response) => void response.writeHead(404).end(),
  })
  onTestFinished(async () => server.close())
  return server
}
