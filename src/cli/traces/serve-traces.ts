import { randomUUID } from 'node:crypto'
import { type Http2Bindings, type HttpBindings, type ServerType, serve } from '@hono/node-server'
import { mostConnections } from '../../base/files/descriptors.ts'
import { httpOrigin } from '../../base/net/net.ts'
import { type GuardOptions, forbiddenReason } from '../../http/guard.ts'
import { tracesKey } from '../../builtins/traces/common-trace-names.ts'
import { createTracesService } from '../../builtins/traces/adapter/create-traces-service.ts'
import { limitsFromEnv } from '../../builtins/traces/adapter/limits-from-env.ts'
import { toResponse } from '../../builtins/traces/community/create-traces-app.ts'
import { openCommunity } from '../../builtins/traces/community/open-community.ts'
import type { Service } from '../../protocol/service.ts'
import type { TracesApp } from '../../builtins/traces/community/http/traces-env.ts'
import { localPort } from '../../builtins/traces/service/local-port.ts'
import { problem } from '../../builtins/traces/service/problem.ts'
import type { TracesSettings } from '../../builtins/traces/service/settings.ts'
import { builtinContext, builtinOptionsFrom } from '../../app/builtins/builtin-context.ts'
import { openEmbeddedAs } from '../../builtins/traces/open-embedded.ts'
import { openSharedRedis } from '../../app/shared.ts'
import { serveStandalone } from '../../app/builtins/serve-standalone.ts'
import type { Environment } from '../../base/environment.ts'
import { withoutTransport } from '../shared/serve/choose-transport.ts'

export interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly version: string
  /** Serves the MCP side of the service (stdio, or /mcp on a separate port) until it is closed. */
  readonly serveMcp?: ((service: Service) => Promise<{ close(): Promise<void> }>) | undefined
}

export interface RunningTraces {
  readonly url: string
  close(): Promise<void>
}

/** Serves traces without the gateway: the REST API on a port, and its tools as an MCP server. */
export async function serveTraces(
  given: Environment,
  options: ServeOptions,
): Promise<RunningTraces> {
  const from = builtinOptionsFrom('traces', given)
  const { env } = from
  const redis = (await openSharedRedis(env))?.client
  const undo: (() => unknown)[] = [() => redis?.close()]
  const close = async () => {
    for (const step of undo.splice(0).toReversed()) await step()
  }
  try {
    const embedded = await openEmbeddedAs(builtinContext({ ...from, redis }), {
      open: openCommunity,
      background: true,
    })
    undo.push(async () => embedded.close())
    const { app, deps } = embedded.traces
    const server = await listen(guarded(app, deps.settings, options.host), options)
    undo.push(async () => new Promise((resolve) => server.close(resolve)))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : options.port
    const { skills, ...limits } = limitsFromEnv(env)
    const service = createTracesService({
      skills,
      version: options.version,
      port: localPort(deps, limits),
      apiKey: tracesKey(env),
    })
    const mcp = await options.serveMcp?.(service)
    undo.push(async () => mcp?.close())
    return { url: httpOrigin(options.host, port), close }
  } catch (error) {
    // Open connections would keep the process alive.
    await close()
    throw error
  }
}

/** Refuses requests with a foreign Host header, and those of web pages from other origins. */
function guarded(
  { fetch }: Pick<TracesApp, 'fetch'>,
  { publicUrl, allowedHosts, corsOrigins }: TracesSettings,
  host: string,
) {
  const own = new URL(publicUrl)
  const guard: GuardOptions = {
    host,
    allowedHosts: [own.host, ...allowedHosts],
    allowedOrigins: [own.origin, ...corsOrigins],
    settings: { hosts: 'PORTOLAN_TRACES_ALLOWED_HOSTS', origins: 'PORTOLAN_TRACES_CORS_ORIGINS' },
  }
  return async (request: Request, env: HttpBindings | Http2Bindings): Promise<Response> => {
    const refusal = forbiddenReason(env.incoming, guard)
    if (refusal !== undefined) return toResponse(problem(403, refusal, { requestId: randomUUID() }))
    return fetch(request, env)
  }
}

async function listen(
  fetch: ReturnType<typeof guarded>,
  { host, port }: ServeOptions,
): Promise<ServerType> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, hostname: host, port }, () => resolve(server))
    server.once('error', reject)
    server.maxConnections = mostConnections()
  })
}

/** Serves the MCP side of `traces serve` on a separate port: MCP_PORT or any free one. */
export async function serveMcp(service: Service): Promise<{ close(): Promise<void> }> {
  const stop = new AbortController()
  const stopped = new Promise<void>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  let served: Promise<unknown> = Promise.resolve()
  // What stops it before it listens, such as a port in use, has to end the whole service.
  await new Promise<void>((resolve, reject) => {
    served = serveStandalone(service, {
      builtin: 'traces',
      transport: {
        kind: 'streamable-http',
        host: '127.0.0.1',
        port: Number(process.env['MCP_PORT'] ?? 0),
        path: '/mcp',
      },
      env: withoutTransport(process.env),
      onListening(url) {
        process.stderr.write(`Traces tools: ${url}/mcp\n`)
        resolve()
      },
      untilStopped: async () => stopped,
    })
    served.catch(reject)
  })
  return {
    async close() {
      stop.abort()
      await served
    },
  }
}
