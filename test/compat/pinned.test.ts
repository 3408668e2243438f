import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/base/json/json.ts'
import { call, valueOf } from '../support/clients/talk.ts'
import { openPublished } from './open-published.ts'
import { SERVERS } from './servers.ts'
import { tryServer } from './try-server.ts'

/** Small ones, as each is downloaded. */
const NAMES = [
  '@modelcontextprotocol/server-everything',
  '@modelcontextprotocol/server-filesystem',
  '@modelcontextprotocol/server-memory',
  '@modelcontextprotocol/server-sequential-thinking',
  '@modelcontextprotocol/server-github',
  '@modelcontextprotocol/server-gitlab',
  '@modelcontextprotocol/server-google-maps',
  '@modelcontextprotocol/server-slack',
  '@modelcontextprotocol/server-brave-search',
  '@modelcontextprotocol/server-everart',
  '@modelcontextprotocol/server-postgres',
  '@upstash/context7-mcp',
  'tavily-mcp',
]

describe('published servers of npx entries', { timeout: 600_000 }, () => {
  const chosen = SERVERS.filter(({ name }) => NAMES.includes(name))
  it.each(chosen.map((server) => [server.name, server] as const))(
    '%s is installed once, and starts pinned',
    async (_, server) => {
      const { gateway, story, close } = await openPublished(server, undefined)
      try {
        // The first one installs it, which may take longer than a call waits.
        await expect
          .poll(async () => (await tryServer(gateway, 'it', [])).failure, { timeout: 300_000 })
          .toBeUndefined()
        const trial = await tryServer(gateway, 'it', story)
        expect(trial.story).toBe(server.story && 'passed')
        const client = await gateway.connect({ query: '' })
        const status = valueOf(await call(client, 'get_gateway_status'))
        const rows = Array.isArray(status['servers']) ? status['servers'].filter(isObject) : []
        expect(rows.find(({ name }) => name === 'it')).toMatchObject({
          package: `${server.name}@${server.version}`,
        })
      } finally {
        await close()
      }
    },
  )
})
