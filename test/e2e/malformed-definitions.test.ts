import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openOfficialClients } from '../support/clients/official-clients.ts'
import { valueOf } from '../support/clients/talk.ts'
import { runBuilt } from '../support/run-built.ts'
import { openGateway } from '../support/open-gateway.ts'

const program = (file: string) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, '../support', file)],
})

it('malformed definitions of one server hide nothing from the official clients', async () => {
  const gateway = await openGateway({
    servers: { odd: program('odd-definitions.mjs'), other: program('upstream.mjs') },
  })
  const clients = await openOfficialClients(`${gateway.url}/mcp?surface=direct`)
  for (const client of Object.values(clients)) {
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    for (const name of ['good', 'no-type', 'no-schema', 'nulls', 'odd-output'])
      expect(names).toContain(`odd__${name}`)
    expect(names).toContain('other__echo')
    expect(names).not.toContain('odd__text-input')
    const { prompts } = await client.listPrompts()
    expect(prompts).toContainEqual({ name: 'odd__ask' })
    const result = await client.callTool({ name: 'odd__no-schema', arguments: {} })
    expect(result.content).toEqual([{ type: 'text', text: 'done' }])
  }
  const env = { PORTOLAN_LISTEN_PORT: new URL(gateway.url).port }
  const listed = await runBuilt(gateway.folder, ['server', 'list', '--json'], env)
  const rows: { name: string; leftOut: { name: string }[] }[] = JSON.parse(listed.stdout).servers
  const leftOut = rows.flatMap((row) => (row.name === 'odd' ? row.leftOut : []))
  expect(leftOut.map(({ name }) => name)).toEqual(['text-input', ''])
  const tested = await runBuilt(gateway.folder, ['server', 'test', 'odd'], env)
  expect(tested.code).toBe(0)
  expect(tested.stdout).toContain('│ tool "text-input" is left out: its inputSchema is of type')

  const status = await clients.v1.callTool({ name: 'get_gateway_status', arguments: {} })
  const { servers } = valueOf(status)
  expect(servers).toContainEqual(
    expect.objectContaining({
      name: 'odd',
      left_out: [
        {
          kind: 'tool',
          name: 'text-input',
          reason: 'its inputSchema is of type "string", and arguments are an object',
        },
        { kind: 'tool', name: '', reason: 'it has no name' },
      ],
    }),
  )
})
