import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, execute, refusal, structured, toolNames } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

const ERAS = ['legacy', 'modern'] as const
const GREETING = { arguments: { name: 'Ada' } }

const one = stdioUpstream('--name', 'one')
const two = stdioUpstream('--name', 'two')

async function clientsOf(gateway: Opened): Promise<RawClient[]> {
  return Promise.all(ERAS.map(async (era) => gateway.connect({ era })))
}

/** Shows what there is to a client, and ends the process in good order. */
async function showAndEnd(gateway: Opened): Promise<void> {
  const client = await gateway.connect()
  await toolNames(client)
  await client.request('prompts/list')
  await client.close()
  await gateway.close()
}

/** The same folder, hence the same files and the same data, with other servers. */
async function restart({ folder }: Opened, servers: JsonObject, rules?: JsonObject) {
  return openGateway({ folder, servers, ...(rules && { rules }) })
}

async function serverOf(client: RawClient, tool: string): Promise<unknown> {
  const { argv } = structured(await call(client, tool))
  return Array.isArray(argv) ? argv[1] : undefined
}

it('a bare name means the same tool and prompt after a restart beside a second server', async () => {
  const before = await openGateway({ servers: { one } })
  await showAndEnd(before)
  const after = await restart(before, { two, one })
  for (const client of await clientsOf(after)) {
    for (const server of ['two', 'one'])
      expect(await serverOf(client, `${server}__whoami`)).toBe(server)
    expect(await serverOf(client, 'whoami')).toBe('one')
    const prompt = { name: 'greet', ...GREETING }
    expect(await client.request('prompts/get', prompt)).toMatchObject({ server: 'one' })
    const listed = await toolNames(client)
    expect(listed).toEqual(expect.arrayContaining(['one__whoami', 'two__whoami']))
    expect(listed).not.toContain('whoami')
  }
  await after.close()

  // Gone with its server, it is given to nobody else.
  const alone = await restart(before, { two })
  for (const client of await clientsOf(alone)) {
    const { message, data } = await refusal(call(client, 'whoami'))
    expect(message).toMatch(/^Tool 'whoami' is gone: server 'one' is not configured any more since/)
    expect(message).toContain("Did you mean 'two__whoami'")
    expect(data).toMatchObject({ code: 'TOOL_NOT_FOUND' })
    expect(await toolNames(client)).toContain('two__whoami')
  }
})

it('a server that was renamed while the gateway was stopped is known by its old name', async () => {
  const before = await openGateway({ servers: { one, two } })
  await showAndEnd(before)
  const renamed = await restart(before, { uno: one, two })
  await namesOfOneWork(renamed)
  await renamed.close()
  // It was renamed by the process before this one, and nothing has changed since.
  const again = await restart(before, { uno: one, two })
  await namesOfOneWork(again)
  await again.close()
  // What is configured under the name is what the name means.
  const taken = await restart(before, { uno: one, one: stdioUpstream('--name', 'new') })
  for (const client of await clientsOf(taken)) {
    expect(structured(await execute(client, 'one', 'whoami'))['argv']).toContain('new')
    expect(structured(await execute(client, 'uno', 'whoami'))['argv']).toContain('one')
  }
})

async function namesOfOneWork(gateway: Opened): Promise<void> {
  for (const client of await clientsOf(gateway)) {
    expect(await serverOf(client, 'one__whoami')).toBe('one')
    expect(structured(await execute(client, 'one', 'whoami'))['argv']).toContain('one')
    const uri = 'test://one+who'
    expect(await client.request('resources/read', { uri })).toMatchObject({
      contents: [{ uri, text: 'one' }],
    })
    const prompt = { name: 'one__greet', ...GREETING }
    expect(await client.request('prompts/get', prompt)).toMatchObject({ server: 'one' })
    expect(await toolNames(client)).toContain('uno__whoami')
  }
}

/** What an agent is told who asks for the tool and the prompt by their bare names. */
async function answers(gateway: Opened, agent: string) {
  const client = await gateway.connect({ headers: { 'x-agent-id': agent } })
  await toolNames(client)
  const { message, data } = await refusal(call(client, 'whoami'))
  const prompt = await refusal(client.request('prompts/get', { name: 'greet', ...GREETING })).then(
    ({ message: said }) => said,
    () => 'it was answered',
  )
  return { message, data, prompt }
}

it('tells whoever may not use the tool no more than it would without the name', async () => {
  const rules = {
    agents: {
      ada: { allow: { servers: ['*'] } },
      bob: { allow: { servers: ['two', 'three'] } },
      eve: { allow: { servers: ['two'] } },
    },
  }
  const three = stdioUpstream('--name', 'three')
  const fresh = await openGateway({ servers: { one, two, three }, rules })
  const before = await openGateway({ servers: { one } })
  await showAndEnd(before)
  const after = await restart(before, { one, two, three }, rules)
  for (const agent of ['bob', 'eve'])
    expect(await answers(after, agent)).toEqual(await answers(fresh, agent))
  const { message } = await answers(after, 'bob')
  expect(message).toContain("'two__whoami', 'three__whoami'")
  const ada = await after.connect({ headers: { 'x-agent-id': 'ada' } })
  expect(await serverOf(ada, 'whoami')).toBe('one')
  await after.close()

  // Not even that there was such a server.
  const gone = await restart(before, { two, three }, rules)
  for (const agent of ['bob', 'eve'])
    expect(await answers(gone, agent)).toEqual(await answers(fresh, agent))
})

it('a damaged file is reported, and everything else works; nothing is stored before a client comes', async () => {
  const before = await openGateway({ servers: { one } })
  const files = () => {
    try {
      return readdirSync(before.folder.file('data/names'))
    } catch {
      return []
    }
  }
  expect(files()).toEqual([])
  await showAndEnd(before)
  const [file = ''] = files()
  expect(file).toMatch(/^[\da-f]{16}\.json$/)
  before.folder.write(`data/names/${file}`, '{"servers": [["one"')
  const after = await restart(before, { one, two })
  const client = await after.connect()
  expect(await serverOf(client, 'one__whoami')).toBe('one')
  const { message } = await refusal(call(client, 'whoami'))
  expect(message).toContain("'one__whoami', 'two__whoami'")
  await expect.poll(() => after.log()).toContain('names that clients were shown')
  await toolNames(client)
  await after.close()
  expect(JSON.parse(before.folder.read(`data/names/${file}`))).toMatchObject({ tools: [] })
})
