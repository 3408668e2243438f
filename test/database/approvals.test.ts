import { existsSync, readFileSync } from 'node:fs'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { call, textOf } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { startGateway } from '../support/gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { runBuilt } from '../support/run-built.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

vi.setConfig({ testTimeout: 120_000 })

const SERVER = new URL('../../bench/attack/counting-server.mjs', import.meta.url).pathname

/** A gateway in a folder of its own, whose server counts in a file that all have in common. */
async function replica(env: Record<string, string>, common: TempFolder) {
  const folder = tempFolder()
  const args = [SERVER, common.file('done.txt')]
  folder.write('.mcp.json', { mcpServers: { one: { command: process.execPath, args } } })
  folder.write('.mcp-gateway-rules.json', {
    agents: { ada: { allow: { servers: ['*'] }, ask: { servers: ['one'] } } },
  })
  folder.write('portolan.yaml', { approvals: { waitMs: 100 } })
  const { url, child } = await startGateway(folder, [], env)
  const client = await openHttp(
    'legacy',
    `${url}/mcp?surface=direct`,
    { 'x-agent-id': 'ada' },
    { capabilities: { roots: {} } },
  )
  onTestFinished(async () => client.close().catch(() => undefined))
  return { child, act: async (text: string) => textOf(await call(client, 'act', { text })) }
}

const idIn = (text = '') => /approval ([0-9a-f]{10})/.exec(text)?.[1] ?? ''

it('what was asked on one replica and approved at a shell is done once, on whichever replica', async () => {
  const env = { PORTOLAN_DATABASE_URL: await createDatabase(inject('postgresUrl')) }
  const common = tempFolder()
  const replicas = [await replica(env, common), await replica(env, common)]
  const [one, two] = replicas
  const done = (text: string) => {
    const file = common.file('done.txt')
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
    return lines.filter((line) => line === text).length
  }
  const first = idIn(await one?.act('both'))
  expect(idIn(await two?.act('both')), 'one question for both').toBe(first)
  const approve = async (id: string) => runBuilt(tempFolder(), ['approvals', 'approve', id], env)
  expect((await approve(first)).code).toBe(0)
  const all = await Promise.all(
    Array.from({ length: 40 }, async (_, n) => replicas[n % 2]?.act('both')),
  )
  expect(all.filter((text) => text === 'did both')).toHaveLength(1)
  expect(done('both')).toBe(1)

  const second = idIn(await one?.act('survives'))
  await approve(second)
  one?.child.kill('SIGKILL')
  expect(await two?.act('survives')).toBe('did survives')
  expect(await two?.act('survives')).toContain('APPROVAL_PENDING')
  expect(done('survives')).toBe(1)
})
