import { join } from 'node:path'
import { expect, it } from 'vitest'
import { auditOf } from '../support/audit-of.ts'
import { call, callUntilProgress, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { openOfficialClients } from '../support/clients/official-clients.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { tempFolder } from '../support/temp-folder.ts'

const UPSTREAM = join(import.meta.dirname, '../support/upstream.mjs')

/** The program of the package: `version` is what its installer replaces. */
const program = (version: number) => `
  process.argv.push('--name', 'package-${version}', '--tools', '${version * 2}')
  await import(${JSON.stringify(UPSTREAM)})`

const ALL = { allow: { servers: ['*'], scripts: true } }

it('a server is upgraded under load: no call fails without a word, and its new tools are there', async () => {
  const folder = tempFolder()
  const file = folder.write('server.mjs', program(1))
  const gateway = await openGateway({
    folder,
    servers: { notes: { command: process.execPath, args: [file], session: 'shared' } },
    rules: { agents: { default: ALL }, defaults: { deny_on_missing_agent: false } },
  })
  const client = await gateway.connect()
  const before = await toolNames(client)
  const { v1, modern } = await openOfficialClients(`${gateway.url}/mcp?surface=direct`)
  const scripts = await gateway.connect({ query: 'surface=scripts' })
  const over = new AbortController()
  const load = [v1, modern].map(async (each, at) => {
    const seen: string[] = []
    while (!over.signal.aborted) {
      const text = `call ${at}.${seen.length}`
      const answer = await each.callTool({ name: 'echo', arguments: { text } })
      expect(JSON.stringify(answer)).toContain(text)
      seen.push(text)
    }
    return seen.length
  })
  const { result } = await callUntilProgress(client, 'slow', { ms: 1_500, steps: 15 })
  const code = `for (let n = 0; n < 5; n++) await tools.notes.slow({ ms: 300 })
    return (await tools.notes.echo({ text: 'the script ends well' }))`
  const script = call(scripts, 'run_script', { code })

  folder.write('server.mjs', program(2))
  const env = { PORTOLAN_LISTEN_PORT: new URL(gateway.url).port }
  expect(await runBuilt(folder, ['server', 'restart', 'notes'], env)).toMatchObject({ code: 0 })
  expect(textOf(await result)).toBe('slept 1500 ms')
  expect(structured(await script)).toMatchObject({ result: 'the script ends well' })
  const heard = () => client.heard.map(({ method }) => method)
  await expect.poll(heard).toContain('notifications/tools/list_changed')
  const added = async () => (await toolNames(client)).filter((name) => !before.includes(name))
  await expect.poll(async () => (await added()).length).toBe(2)
  const [fresh = ''] = await added()
  expect((await call(client, fresh))['isError']).not.toBe(true)
  over.abort()
  const counts = await Promise.all(load)
  expect(Math.min(...counts)).toBeGreaterThan(0)
  const outcomes = async () =>
    auditOf(gateway).map((entry) => Object(entry['metadata'])['outcome'] ?? entry['decision'])
  await expect.poll(async () => new Set(await outcomes())).toEqual(new Set(['ok']))
})
