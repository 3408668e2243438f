import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import {
  call,
  execute,
  refusal,
  structured,
  textOf,
  toolNames,
  valueOf,
} from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'

const EXTENSION = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }

let gateway: Opened

beforeAll(async () => {
  const undo: (() => void | Promise<void>)[] = []
  const args = [join(import.meta.dirname, '../support/apps/server.mjs'), '--name', 'oslo']
  gateway = await openGateway({
    servers: { oslo: { command: process.execPath, args } },
    later: (step) => undo.unshift(step),
  })
  return async () => {
    for (const step of undo) await step()
  }
})

async function connect(era: 'legacy' | 'modern', extensions: JsonObject | undefined, query = '') {
  return gateway.connect({ era, query, capabilities: extensions ? { extensions } : {} })
}

describe.each(['legacy', 'modern'] as const)('a tool for pages alone, in the %s era', (era) => {
  it('is neither shown to models nor called by them', async () => {
    const client = await connect(era, EXTENSION)
    const found = valueOf(await call(client, 'find_tools', { query: 'draw the map anew; erase' }))
    expect(JSON.stringify(found)).toContain('show_map')
    expect(JSON.stringify(found)).not.toMatch(/refresh_oslo|erase_oslo/)
    const listed = valueOf(await call(client, 'get_server_tools', { server: 'oslo' }))
    expect(listed).toMatchObject({ total_available: 2, returned: 2 })
    expect(textOf(await call(client, 'list_servers'))).toContain('2 tools: weather, show_map')
    expect(structured(await execute(client, 'oslo', 'refresh_oslo'))).toMatchObject({
      error: { code: 'TOOL_NOT_FOUND', message: expect.stringContaining('for the pages') },
    })
    expect(textOf(await execute(client, 'oslo', 'show_map'))).toBe('show_map of oslo')
  })

  it('is listed and called where pages are shown, and nowhere else', async () => {
    for (const query of ['', 'surface=direct']) {
      const host = await connect(era, EXTENSION, query)
      expect(await toolNames(host)).toEqual(expect.arrayContaining(['refresh_oslo', 'show_map']))
      expect(textOf(await call(host, 'refresh_oslo'))).toBe('refresh_oslo of oslo')
      const other = await connect(era, undefined, query)
      const names = await toolNames(other)
      expect(names).not.toContain('refresh_oslo')
      expect(names.includes('show_map')).toBe(query !== '')
      expect(await refusal(call(other, 'refresh_oslo'))).toMatchObject({ code: -32_602 })
      expect(textOf(await call(other, 'show_map'))).toBe('show_map of oslo')
    }
  })
})
