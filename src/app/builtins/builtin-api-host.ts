import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { isLoopback } from '../../base/net/net.ts'
import type { BuiltinName } from '../../builtins/index.ts'
import type { ApiHost, ApiVisit, FinishedCall } from '../../builtins/kit/builtin-api.ts'
import { serverOf } from '../../config/servers/with-builtins.ts'
import { callsOf } from '../../dashboard/builtin-calls.ts'
import { refuseOtherPages } from '../../dashboard/access/same-site.ts'
import { asAgent, toVisitor } from '../../dashboard/access/visitor.ts'
import type { CallEvent } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { toArrival } from '../../http/arrival.ts'
import { toHttpFailure } from '../../http/http-error.ts'
import type { App } from '../app.ts'

const anyBody = z.record(z.string(), z.unknown())

/** Connects the API of a built-in to callers, rules, limits and audit of the gateway. */
export function createApiHost(
  app: App,
  builtin: BuiltinName,
  { env, stop }: Pick<ApiHost, 'env' | 'stop'>,
): ApiHost {
  return {
    env,
    stop,
    visit: async (request) => toVisit(request, builtin, app),
    explain(error) {
      const { status, body } = toHttpFailure(error)
      const { message, hint } = body.error
      return { status, message: hint ? `${message}. ${hint}` : message }
    },
    followCalls: (listener) => followCalls(app, builtin, listener),
    async openFile(options) {
      const { createRotatingFile } = await import('../../telemetry/audit/rotating-file.ts')
      return createRotatingFile(options)
    },
  }
}

function followCalls(
  app: Pick<App, 'feed' | 'config'>,
  builtin: BuiltinName,
  listener: (call: FinishedCall) => void,
): () => void {
  const note = (event: Readonly<CallEvent>): void => {
    const server = event.server === undefined ? undefined : app.config.servers.get(event.server)
    if (server?.kind === 'builtin' && server.builtin === builtin) listener(event)
  }
  for (const event of app.feed.recent()) note(event)
  return app.feed.listen(note)
}

async function toVisit(
  request: IncomingMessage,
  builtin: BuiltinName,
  app: App,
): Promise<ApiVisit> {
  refuseOtherPages(request, app.config.settings.listen.allowedOrigins)
  const visitor = await toVisitor(request, app)
  const server = serverOf(builtin, app.config.servers)
  if (server === undefined)
    throw new GatewayError('SERVER_NOT_FOUND', `This gateway has no ${builtin} server`, {
      hint: `Set builtins.${builtin}: true in portolan.yaml.`,
    })
  const url = new URL(request.url ?? '/', 'http://localhost')
  const { claimedAgent, projectPath } = toArrival(request, url.searchParams, {})
  const calls = callsOf(server, asAgent(visitor, claimedAgent), app)
  return {
    role: visitor.role,
    isLocal: isFromHere(request),
    permit: async (tool) => calls.permit(tool),
    tool: async (name, args) => calls.tool(name, args, anyBody, { projectPath }),
    operate: async ({ name, nearestTool }, asked = {}, options = {}) =>
      calls.operate({ operation: name, request: asked }, anyBody, {
        ...options,
        nearestTool,
        projectPath,
        isEndless: options.onProgress !== undefined,
      }),
  }
}

/** Whether a request is local; a proxy on this machine forwards for others and says so. */
function isFromHere({ socket, headers }: IncomingMessage): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false
  return isLoopback(socket.remoteAddress?.replace(/^::ffff:/, '') ?? '')
}
