/**
 * Development dependencies that the bundle contains, with what they need: a start or a first request
 * reads a few files instead of hundreds, and users install only what is used of them.
 */
export const CONTAINED: ReadonlySet<string> = new Set([
  '@asteasolutions/zod-to-openapi',
  '@hono/node-server',
  '@hono/zod-openapi',
  '@hono/zod-validator',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/core',
  'commander',
  'cross-spawn',
  'eventsource',
  'eventsource-parser',
  'hono',
  'kysely',
  'lru-cache',
  'openapi3-ts',
  'pkce-challenge',
  'quickjs-wasi',
  'zod',
])
