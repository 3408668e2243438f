import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { hasCode } from '../base/errors.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { DASHBOARD_API } from '../dashboard/pages.ts'
import type { HttpServer } from '../http/server.ts'
import type { App } from './app.ts'
import { mountDashboard, serveHttp } from './serve.ts'

/** The pages of a gateway that clients reach without HTTP. */
export interface Pages {
  /** Listens on loopback from now on, without the MCP endpoint, and returns the address. */
  open(): Promise<string>
  /** Asks the API of the pages for a program that has proved to be the person's, without a port. */
  ask(method: string, path: string, body: JsonObject): Promise<JsonObject>
  close(): Promise<void>
}

/** Creates the pages; nothing listens before somebody asks for them. */
export function createPages(app: App): Pages {
  const dashboard = mountDashboard(app, { sessions: () => 0, endpoint: () => '' })
  let opening: Promise<HttpServer> | undefined

  /** The port of the settings, so that browsers stay signed in, unless another program has it. */
  async function listen(): Promise<HttpServer> {
    const at = async (port: number) =>
      serveHttp(app, { surface: undefined, pages: { dashboard, port } })
    return at(app.config.settings.listen.port).catch(async (error: unknown) => {
      if (!hasCode(error, 'EADDRINUSE') && !hasCode(error, 'EACCES')) throw error
      return at(0)
    })
  }

  async function open(): Promise<string> {
    opening ??= listen().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return `http://127.0.0.1:${(await opening).port}/`
  }

  app.questions.reachedAt(open)
  return {
    open,
    async ask(method, path, body) {
      const incoming = new IncomingMessage(new Socket())
      incoming.method = method
      incoming.headers = {
        host: 'localhost',
        'x-portolan-dashboard': '1',
        authorization: `Bearer ${app.passes.issue('command', 0)}`,
      }
      const request = new Request(`http://localhost${DASHBOARD_API}${path}`, {
        method,
        ...(method !== 'GET' && { body: JSON.stringify(body) }),
      })
      const outgoing = new ServerResponse(incoming)
      const answer = await dashboard.fetch(request, { incoming, outgoing })
      const value: unknown = await answer.json()
      return { status: answer.status, value: isObject(value) ? value : {} }
    },
    async close() {
      await (await opening)?.close()
      dashboard.close()
    },
  }
}
