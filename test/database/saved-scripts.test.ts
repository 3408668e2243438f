import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { call, execute, structured, textOf } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { startGateway } from '../support/gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { runBuilt } from '../support/run-built.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

vi.setConfig({ testTimeout: 120_000 })

const LONG_MS = 30_000

/** A gateway in a folder of its own, and a client of it. */
async function replica(env: Record<string, string>) {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { notes: stdioUpstream() } })
  folder.write('.mcp-gateway-rules.json', {
    agents: { ada: { allow: { servers: ['*'], scripts: true } } },
  })
  const { url } = await startGateway(folder, [], env)
  const client = await openHttp('legacy', `${url}/mcp`, { 'x-agent-id': 'ada' })
  onTestFinished(async () => client.close().catch(() => undefined))
  const greet = async () => {
    const result = await execute(client, 'scripts', 'greet', { text: 'x' })
    return result['isError'] === true ? textOf(result) : structured(result)['result']
  }
  const changes = () => client.heard.map(({ method }) => method)
  return { client, changes, greet }
}

it('what is proposed on one replica and approved at a shell is a tool of both', async () => {
  const env = { PORTOLAN_DATABASE_URL: await createDatabase(inject('postgresUrl')) }
  const [one, two] = [await replica(env), await replica(env)]
  const propose = async (word: string) =>
    call(one.client, 'run_script', {
      code: `'${word} ' + await tools.notes.echo({ text: input.text })`,
      input: { text: 'x' },
      save: { name: 'greet', description: 'Greets' },
    })
  expect(structured(await propose('hello'))).toMatchObject({ result: 'hello x' })
  expect(await one.greet()).not.toBe('hello x')
  expect(await two.greet()).not.toBe('hello x')

  const scripts = async (...words: string[]) => runBuilt(tempFolder(), ['scripts', ...words], env)
  const digest = async () =>
    String(JSON.parse((await scripts('show', 'greet', '--json')).stdout).digest)
  expect(await scripts('approve', await digest())).toMatchObject({ code: 0 })
  for (const { greet } of [one, two]) await expect.poll(greet, { timeout: LONG_MS }).toBe('hello x')
  for (const { changes } of [one, two])
    await expect.poll(changes, { timeout: LONG_MS }).toContain('notifications/tools/list_changed')

  await propose('good day')
  expect(await two.greet()).toBe('hello x')
  await scripts('approve', await digest())
  await expect.poll(two.greet, { timeout: LONG_MS }).toBe('good day x')
  await expect.poll(one.greet, { timeout: LONG_MS }).toBe('good day x')
  await scripts('remove', 'greet')
  for (const { greet } of [one, two])
    await expect.poll(greet, { timeout: LONG_MS }).not.toBe('good day x')
})
