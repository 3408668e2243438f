import type { IncomingMessage } from 'node:http'
import { callsOf, serverOf } from '../dashboard/builtin-calls.ts'
import { refuseOtherPages } from '../dashboard/same-site.ts'
import { asAgent, toVisitor } from '../dashboard/visitor.ts'
import { toArrival } from '../http/arrival.ts'
import { toHttpFailure } from '../http/http-error.ts'
import type { Mount } from '../http/mount.ts'
import { GatewayError } from '../gateway/errors.ts'
import { isLoopback } from '../base/net.ts'
import { ApiProblem } from '../builtins/code/http/api-problem.ts'
import { createCodeApi } from '../builtins/code/http/create-code-api.ts'
import type { Visit } from '../builtins/code/http/visit.ts'
import { CodeLog } from '../builtins/code/log/code-log.ts'
import type { App } from './app.ts'
import { followCalls } from './follow-calls.ts'

/** Code search by itself: what it logged so far, and how its process is ended. */
export interface CodeAlone {
  readonly log: CodeLog
  readonly stop: () => void
}

/** The HTTP API of code search behind the gateway: who asks is known, and rules, limits and audit hold. */
export function openCodeApi(app: App, alone: CodeAlone | undefined): Mount {
  const log = alone?.log ?? new CodeLog()
  const unsubscribe = alone ? () => undefined : followCalls(app, log)
  const api = createCodeApi({
    log,
    stop: alone?.stop,
    visit: async (request) => told(async () => toVisit(request, app)),
  })
  return {
    fetch: api.fetch,
    close() {
      unsubscribe()
      api.close()
    },
  }
}

async function toVisit(request: IncomingMessage, app: App): Promise<Visit> {
  refuseOtherPages(request, app.config.settings.listen.allowedOrigins)
  const visitor = await toVisitor(request, app)
  const server = serverOf('code', app)
  if (server === undefined)
    throw new GatewayError('SERVER_NOT_FOUND', 'This gateway has no code server', {
      hint: 'Set builtins.code: true in portolan.yaml.',
    })
  const url = new URL(request.url ?? '/', 'http://localhost')
  const { claimedAgent, projectPath } = toArrival(request, url.searchParams, {})
  const calls = callsOf(server, asAgent(visitor, claimedAgent), app)
  return {
    role: visitor.role,
    isLocal: isFromHere(request),
    permit: async (tool) => told(async () => calls.permit(tool)),
    tool: async (name, args) => told(async () => calls.tool(name, args, { projectPath })),
    operate: async ({ name, nearestTool }, asked = {}, options = {}) =>
      told(async () =>
        calls.operate({ operation: name, request: asked }, nearestTool, {
          ...options,
          projectPath,
          isEndless: options.onProgress !== undefined,
        }),
      ),
  }
}

/** What the gateway refuses is told in the way of the API. */
async function told<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    const { status, body } = toHttpFailure(error)
    const { message, hint } = body.error
    throw new ApiProblem(status, hint ? `${message}. ${hint}` : message, error)
  }
}

/** A proxy on this machine speaks for others, and says so. */
function isFromHere({ socket, headers }: IncomingMessage): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false
  return isLoopback(socket.remoteAddress?.replace(/^::ffff:/, '') ?? '')
}
