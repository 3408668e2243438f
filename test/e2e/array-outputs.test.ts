import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openOfficialClients } from '../support/clients/official-clients.ts'
import { openGateway } from '../support/open-gateway.ts'

const SERVER = join(import.meta.dirname, '../support/array-outputs.mjs')

it.each([
  ['direct', 'legacy'],
  ['direct', 'modern'],
  ['discover', 'legacy'],
  ['discover', 'modern'],
] as const)(
  'outputs that are no objects reach the official clients of both eras (%s, first %s)',
  async (surface, first) => {
    const gateway = await openGateway({
      servers: { arrays: { command: process.execPath, args: [SERVER] } },
    })
    const { v1, legacy, modern } = await openOfficialClients(
      `${gateway.url}/mcp?surface=${surface}`,
    )
    const toCall = (name: string) =>
      surface === 'direct'
        ? { name, arguments: {} }
        : { name: 'execute_tool', arguments: { server: 'arrays', tool: name } }
    // The eras share the listing that the first client's connection gave.
    const [one, other] = first === 'legacy' ? [v1, modern] : [modern, v1]
    for (const client of [one, other, legacy, one]) {
      await client.listTools()
      const names = await client.callTool(toCall('names'))
      const isLegacy = client !== modern
      expect([{ result: ['Ada', 'Wim'] }, isLegacy ? 0 : ['Ada', 'Wim']]).toContainEqual(
        names.structuredContent,
      )
      expect(names.content).toEqual([{ type: 'text', text: '["Ada","Wim"]' }])
      await client.callTool(toCall('name-or-number'))
      const person = await client.callTool(toCall('person'))
      expect(person.structuredContent).toEqual({ name: 'Ada' })
      expect(person).not.toHaveProperty('resultType')
    }
  },
)
