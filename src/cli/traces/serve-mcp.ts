import { serveStandalone } from '../../app/builtins/serve-standalone.ts'
import type { Service } from '../../protocol/service.ts'
import { withoutTransport } from '../shared/serve/choose-transport.ts'

/** The MCP side of `traces serve`: on a port of its own, MCP_PORT or any free one. */
export async function serveMcp(service: Service): Promise<{ close(): Promise<void> }> {
  const stop = new AbortController()
  const stopped = new Promise<void>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const served = serveStandalone(service, {
    builtin: 'traces',
    transport: {
      kind: 'streamable-http',
      host: '127.0.0.1',
      port: Number(process.env['MCP_PORT'] ?? 0),
      path: '/mcp',
    },
    env: withoutTransport(process.env),
    onListening: (url) => process.stderr.write(`Traces tools: ${url}/mcp\n`),
    untilStopped: async () => stopped,
  })
  return {
    async close() {
      stop.abort()
      await served
    },
  }
}
