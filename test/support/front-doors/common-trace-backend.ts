import type { ServerResponse } from 'node:http'
import { type SeenRequest, sendJson } from '../http-server.ts'

const TRACE = {
  id: '0e4c5a52-8c0a-4f37-9b58-4df9b8a1a001',
  title: 'FastAPI JWT auth setup',
  context_text: 'Tokens expire at once',
  solution_text: 'Set leeway',
  tags: ['fastapi'],
  trust_score: 3,
}

/** The backend of CommonTrace as the table of its document has it, for one valid key. */
export function commonTraceBackend(key: string) {
  const routes: Record<string, (response: ServerResponse) => void> = {
    'GET /health': (response) => sendJson(response, { status: 'ok' }),
    'POST /api/v1/traces/search': (response) => sendJson(response, { results: [TRACE], total: 1 }),
    'POST /api/v1/traces': (response) =>
      sendJson(response, { id: TRACE.id, status: 'pending' }, 202),
    [`GET /api/v1/traces/${TRACE.id}`]: (response) => sendJson(response, TRACE),
    [`POST /api/v1/traces/${TRACE.id}/votes`]: (response) =>
      sendJson(response, { id: TRACE.id, vote: 'up' }, 201),
    'GET /api/v1/tags': (response) => sendJson(response, { tags: ['fastapi', 'jwt'] }),
  }
  return ({ method, url, headers }: SeenRequest, response: ServerResponse): void => {
    const isPublic = url.pathname === '/health'
    if (!isPublic && headers['x-api-key'] !== key)
      return sendJson(response, { detail: 'Invalid API key' }, 401)
    const route = routes[`${method} ${url.pathname}`]
    if (route) route(response)
    else sendJson(response, { detail: 'Not Found' }, 404)
  }
}
