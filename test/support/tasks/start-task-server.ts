import { type IncomingMessage, createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { type JsonObject, isObject } from '../../../src/base/json/json.ts'
import type { Later } from '../temp-folder.ts'
import { Failure, createTaskServer } from './task-jobs.mjs'

export interface TaskServer {
  readonly url: string
  /** Returns its own ids of its tasks. */
  readonly ids: () => string[]
}

const NAMED: Record<string, string> = {
  'tools/call': 'name',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

/** A server with tasks of 2026-07-28 over HTTP. */
export async function startTaskServer(
  options: { name?: string; counting?: boolean } = {},
  later: Later = onTestFinished,
): Promise<TaskServer> {
  const server = createTaskServer(options)
  const http = createServer((request, response) => {
    void (async () => {
      const body: unknown = await json(request)
      const { id, method, params } = isObject(body) ? body : {}
      const given = isObject(params) ? params : {}
      const headers = { 'content-type': 'application/json' }
      try {
        checkHeaders(request, String(method), given)
        const result = await server.answer(String(method), given)
        response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      } catch (error) {
        const { code, message, data } = error instanceof Failure ? error : BROKEN
        const status = code === -32601 ? 404 : code <= -32020 && code >= -32022 ? 400 : 200
        const failure = { jsonrpc: '2.0', id: id ?? null, error: { code, message, data } }
        response.writeHead(status, headers).end(JSON.stringify(failure))
      }
    })()
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  later(async () => {
    http.close()
    http.closeAllConnections()
  })
  const address = http.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: `http://127.0.0.1:${port}/mcp`, ids: () => server.ids() }
}

const BROKEN = { code: -32603, message: 'broken', data: undefined }

function checkHeaders({ headers }: IncomingMessage, method: string, params: JsonObject): void {
  const field = NAMED[method]
  const fits = field === undefined || headers['mcp-name'] === params[field]
  if (headers['mcp-method'] !== method || !fits) throw new Failure(-32020, 'Header mismatch')
}
