import { join } from 'node:path'
import { expect, it } from 'vitest'
import { auditOf } from '../support/audit-of.ts'
import { openOfficialClients } from '../support/clients/official-clients.ts'
import { call, textOf } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ARRAYS = join(import.meta.dirname, '../support/array-outputs.mjs')
const UPSTREAM = join(import.meta.dirname, '../support/upstream.mjs')

it.each(['legacy', 'modern'] as const)(
  'a result that is stored for a %s client reaches those of the other era in their form',
  async (first) => {
    const gateway = await openGateway({
      servers: { arrays: { command: process.execPath, args: [ARRAYS] } },
      settings: { cache: { tools: { 'arrays.*': { ttlMs: 600_000, shared: true } } } },
    })
    const { v1, modern } = await openOfficialClients(`${gateway.url}/mcp?surface=direct`)
    const clients = first === 'legacy' ? [v1, modern] : [modern, v1]
    for (const client of clients) {
      await client.listTools()
      const names = await client.callTool({ name: 'names', arguments: {} })
      // The official clients compare it with the schema that they were shown.
      const wrapped = { result: ['Ada', 'Wim'] }
      expect(client === modern ? [wrapped, ['Ada', 'Wim']] : [wrapped]).toContainEqual(
        names.structuredContent,
      )
      expect(names.content).toEqual([{ type: 'text', text: '["Ada","Wim"]' }])
      expect(names).not.toHaveProperty('resultType')
    }
    const hits = () => auditOf(gateway).map((entry) => Object(entry['metadata'])['cache'])
    await expect.poll(hits).toEqual(expect.arrayContaining(['miss', 'hit']))
  },
)

const program = (name: string) => `
  process.argv.push('--name', ${JSON.stringify(name)})
  await import(${JSON.stringify(UPSTREAM)})`

it('an answer that was stored before its server is restarted is asked for again', async () => {
  const folder = tempFolder()
  const file = folder.write('server.mjs', program('first'))
  const gateway = await openGateway({
    folder,
    servers: { notes: { command: process.execPath, args: [file], session: 'shared' } },
    settings: { cache: { tools: { 'notes.whoami': { ttlMs: 600_000, shared: true } } } },
  })
  const client = await gateway.connect()
  const pid = async () => textOf(await call(client, 'whoami'))
  const before = await pid()
  expect(await pid()).toBe(before)
  folder.write('server.mjs', program('second'))
  const env = { PORTOLAN_LISTEN_PORT: new URL(gateway.url).port }
  expect(await runBuilt(folder, ['server', 'restart', 'notes'], env)).toMatchObject({ code: 0 })
  expect(await pid()).not.toBe(before)
})
