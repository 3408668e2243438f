import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, execute, refusal, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

const PATIENT = { timeout: 30_000 }
const ERAS = ['legacy', 'modern'] as const

/** A client of each era; each has seen every list once. */
async function openClients(gateway: Opened): Promise<RawClient[]> {
  const clients = await Promise.all(ERAS.map(async (era) => gateway.connect({ era })))
  for (const client of clients) {
    await toolNames(client)
    await client.request('prompts/list')
  }
  return clients
}

/** Changes the servers, and waits until a client of its own sees it. */
async function configure(gateway: Opened, mcpServers: JsonObject): Promise<void> {
  const watcher = await gateway.connect({ query: 'surface=discover' })
  gateway.folder.write('.mcp.json', { mcpServers })
  const names = async () => textOf(await call(watcher, 'list_servers'))
  const said = async () => {
    const listed = await names()
    return Object.keys(mcpServers).filter((name) => !listed.includes(`"${name}"`))
  }
  await expect.poll(said, PATIENT).toEqual([])
  const gone = async () => (await names()).match(/"name":/g)?.length
  await expect.poll(gone, PATIENT).toBe(Object.keys(mcpServers).length)
  await watcher.close()
}

async function serverOf(client: RawClient, tool: string): Promise<unknown> {
  const { argv } = structured(await call(client, tool))
  return Array.isArray(argv) ? argv[1] : undefined
}

const one = stdioUpstream('--name', 'one')
const two = stdioUpstream('--name', 'two')

describe('a bare name that a client was shown', () => {
  it('is refused with the choices once a second server has such a tool, and its server is told when that has gone', async () => {
    const gateway = await openGateway({ servers: { one } })
    const clients = await openClients(gateway)
    const greeting = { name: 'greet', arguments: { name: 'Ada' } }
    for (const client of clients) {
      expect(await serverOf(client, 'whoami')).toBe('one')
      expect(await client.request('prompts/get', greeting)).toMatchObject({ server: 'one' })
    }
    await configure(gateway, { one, two })
    for (const client of clients) {
      const { message, data } = await refusal(call(client, 'whoami'))
      expect(message).toContain("Name one of them: 'one__whoami', 'two__whoami'")
      expect(data).toMatchObject({ code: 'TOOL_NOT_FOUND' })
      const prompt = await refusal(client.request('prompts/get', greeting))
      expect(prompt.message).toContain('Name one of them: one__greet, two__greet')
      expect(await serverOf(client, 'two__whoami')).toBe('two')
    }
    await configure(gateway, { two })
    for (const client of clients) {
      const { message, data } = await refusal(call(client, 'one__whoami'))
      expect(message).toMatch(/^Tool 'whoami' is gone: server 'one' is not configured any more/)
      expect(message).toContain("Did you mean 'whoami'")
      expect(data).toMatchObject({ code: 'TOOL_NOT_FOUND', vanished_at: expect.any(String) })
    }
  })
})

it('an exposed name means the same after a restart with other servers, or nothing', async () => {
  const before = await openGateway({ servers: { one, two } })
  const shown = await toolNames((await openClients(before))[0] ?? (await before.connect()))
  expect(shown).toEqual(expect.arrayContaining(['one__whoami', 'two__whoami']))
  await before.close()
  const after = await openGateway({ folder: before.folder, servers: { two, three: two } })
  for (const client of await openClients(after)) {
    expect(await serverOf(client, 'two__whoami')).toBe('two')
    const { message, data } = await refusal(call(client, 'one__whoami'))
    expect(message).toMatch(/^Unknown tool: 'one__whoami'\. Did you mean 'two__whoami'/)
    expect(data).toMatchObject({ code: 'TOOL_NOT_FOUND' })
  }
})

it('a server that was renamed is suggested under its new name', async () => {
  const gateway = await openGateway({ servers: { one, two } })
  const clients = await openClients(gateway)
  await configure(gateway, { one_more: one, two })
  for (const client of clients) {
    expect(await serverOf(client, 'one_more__whoami')).toBe('one')
    const { message } = await refusal(call(client, 'one__whoami'))
    expect(message).toContain("server 'one' is not configured any more")
    const executed = await execute(client, 'one', 'whoami')
    expect(textOf(executed)).toContain("Did you mean 'one_more'")
  }
})

describe('a tool that its server does not list any more', () => {
  it('answers with what took its place, or since when it is gone', async () => {
    const gateway = await openGateway({ servers: { one, two } })
    const clients = await openClients(gateway)
    const [first] = clients
    if (!first) throw new Error('no client')
    await call(first, 'one__add_tool', { name: 'repeat_text', instead_of: 'echo' })
    await call(first, 'one__add_tool', { name: 'unlike', instead_of: 'slow' })
    await call(first, 'one__add_tool', { name: 'again', instead_of: 'unlike' })
    await call(first, 'one__add_tool', { name: 'unlike_again' })
    await expect.poll(async () => toolNames(first), PATIENT).toContain('one__unlike_again')
    for (const client of clients) {
      const { message, data } = await refusal(call(client, 'one__echo', { text: 'a' }))
      expect(message).toMatch(/^Tool 'echo' is gone: server 'one' does not list it any more since/)
      expect(message).toContain(
        "Call 'one__repeat_text' instead: it is new on this server, with the same description and schema.",
      )
      expect(data).toMatchObject({ replaced_by: 'one__repeat_text' })
      const executed = await execute(client, 'one', 'echo', { text: 'a' })
      expect(executed['isError']).toBe(true)
      expect(textOf(executed)).toContain("Call 'repeat_text' instead")
      expect(textOf(await call(client, 'one__repeat_text', { text: 'a' }))).toBe('a')
      expect(textOf(await call(client, 'two__echo', { text: 'b' }))).toBe('b')
      const never = await refusal(call(client, 'one__echoes'))
      expect(never.message).toMatch(/^Unknown tool: 'one__echoes'/)
    }
  })
})

describe('no name is listed twice', () => {
  it('where a server lists its tools twice, and has some that are called as those of the gateway', async () => {
    const servers = { one: stdioUpstream('--times', '2', '--page-size', '15') }
    const settings = { pins: ['one.echo', 'one__echo', 'one.echo', 'one.find_tools'] }
    const gateway = await openGateway({ servers, settings })
    const clients = await openClients(gateway)
    const discover = await gateway.connect({ query: 'surface=discover' })
    await call(discover, 'add_tool', { name: 'find_tools' })
    await expect.poll(async () => toolNames(discover), PATIENT).toContain('one__find_tools')
    for (const client of [...clients, discover]) {
      const names = await toolNames(client)
      expect(names).toContain('echo')
      expect(names.length).toBe(new Set(names).size)
    }
    expect(textOf(await call(discover, 'one__find_tools', { text: 'theirs' }))).toBe('theirs')
    const ours = await call(discover, 'find_tools', { query: 'give back a text' })
    expect(textOf(ours)).toContain('echo')
  })
})
