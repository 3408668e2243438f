import { describe, expect, it } from 'vitest'
import type { RawClient } from '../support/clients/raw-client.ts'
import { execute, textOf } from '../support/clients/talk.ts'
import { install } from './install.ts'
import { openPublished } from './open-published.ts'
import { SERVERS } from './servers.ts'

const BROWSERS = SERVERS.filter(({ name }) =>
  ['@playwright/mcp', 'chrome-devtools-mcp'].includes(name),
)

/** One browser, of which only one process works at a time: it outlives each of its clients. */
describe.each(BROWSERS.map((server) => [server.name, server] as const))('%s', (_, server) => {
  it('serves a client, a second one beside it, and a third after the first was lost', async () => {
    const { gateway, story = [], close } = await openPublished(server, await install(server))
    const visit = async (client: RawClient) => {
      const seen: string[] = []
      for (const { tool, args } of story) seen.push(textOf(await execute(client, 'it', tool, args)))
      return seen.join('\n')
    }
    try {
      const first = await gateway.connect({ query: '' })
      expect(await visit(first)).toContain('A page for tests')
      expect(await visit(first)).toContain('A page for tests')
      const second = await gateway.connect({ query: '' })
      expect(await visit(second)).toContain('A page for tests')
      // Its sockets close without a word, as those of a killed process do.
      await first.close()
      const third = await gateway.connect({ query: '' })
      expect(await visit(third)).toContain('A page for tests')
      expect(await visit(second)).toContain('A page for tests')
      const answer = await fetch(`${gateway.url}/api/dashboard/servers/it`)
      expect(await answer.json()).toMatchObject({ connections: 1 })
    } finally {
      await close()
    }
  })
})
