import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openPublished } from './open-published.ts'
import { install } from './install.ts'
import { renderTable, type Row } from './render-table.ts'
import { SERVERS } from './servers.ts'
import { tryServer } from './try-server.ts'

const TABLE = join(import.meta.dirname, '../../docs/reference/compatibility.md')
const only = process.env['PORTOLAN_COMPAT_ONLY']
const rows = new Map<string, Row>()

describe.concurrent('published servers', { timeout: 300_000 }, () => {
  const chosen = SERVERS.filter(({ name }) => only === undefined || name.includes(only))
  it.each(chosen.map((server) => [server.name, server] as const))('%s', async (name, server) => {
    const { gateway, story, close } = await openPublished(server, await install(server))
    try {
      const trial = await tryServer(gateway, 'it', story)
      rows.set(name, { name, version: server.version, unlisted: server.unlisted, ...trial })
      process.stderr.write(`${JSON.stringify({ name, ...trial })}\n`)
      expect(trial.failure === undefined).toBe(server.unlisted === undefined)
      expect([trial.safe, ...trial.empty].filter((one) => one?.outcome === 'refused')).toEqual([])
      expect(trial.story).toBe(server.story && 'passed')
      expect(trial.together).not.toBe(false)
    } finally {
      await close()
    }
  })
})

afterAll(() => {
  // A run of a part says nothing about the rest.
  if (rows.size === SERVERS.length) writeFileSync(TABLE, renderTable([...rows.values()]))
})
