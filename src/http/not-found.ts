import type { ServerResponse } from 'node:http'

/** JSON, whatever the client reads: those that look for OAuth metadata parse the body of every answer. */
export function notFound(response: ServerResponse, path: string, mcpPath: string): void {
  const body = {
    error: {
      code: 'NOT_FOUND',
      message: `There is nothing at ${path}`,
      hint: `The MCP endpoint is ${mcpPath} and the dashboard is at /. Where a key is needed, send it as "Authorization: Bearer <key>".`,
    },
  }
  response
    .writeHead(404, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' })
    .end(`${JSON.stringify(body)}\n`)
}
