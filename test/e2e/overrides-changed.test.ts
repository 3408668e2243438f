import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { createFileKeyStore } from '../../src/identity/file-key-store.ts'
import { identityFiles } from '../../src/identity/identity-files.ts'
import { call, execute, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const pid = (text: string) => JSON.parse(text).pid

const headersOf = ({ secret }: { secret: string }) => ({ authorization: `Bearer ${secret}` })

const POLL = { timeout: 30_000, interval: 200 }

const entry = (tools: JsonObject) => ({ one: { ...stdioUpstream(), tools } })

it('applies to the running server: its process stays, and clients learn of new names', async () => {
  const gateway = await openGateway({ servers: entry({ echo: { name: 'say' } }) })
  const client = await gateway.connect()
  await expect.poll(async () => toolNames(client), POLL).toContain('say')
  const before = textOf(await call(client, 'whoami'))
  const save = (tools: JsonObject) =>
    gateway.folder.write('.mcp.json', { mcpServers: entry(tools) })
  save({
    echo: { name: 'repeat', parameters: { text: { fixed: 'fixed' } } },
    whoami: { name: 'of' },
  })
  await expect.poll(async () => toolNames(client), POLL).toContain('repeat')
  expect(await toolNames(client)).not.toContain('say')
  expect(textOf(await call(client, 'repeat', { text: 'given' }))).toBe('fixed')
  expect(pid(textOf(await call(client, 'of')))).toBe(pid(before))
  save({ echo: { hidden: true } })
  await expect.poll(async () => toolNames(client), POLL).not.toContain('echo')
  expect(pid(textOf(await call(client, 'whoami')))).toBe(pid(before))
})

it('a mistake is named with its place and the nearest name, and everything else goes on', async () => {
  const gateway = await openGateway({ servers: entry({}) })
  const client = await gateway.connect()
  await expect.poll(async () => toolNames(client), POLL).toContain('echo')
  const tools = {
    ecko: { name: 'a' },
    slow: { parameters: { msecs: { fixed: 1 } } },
    whoami: { parameter: {} },
    echo: { name: 'odd' },
  }
  gateway.folder.write('.mcp.json', { mcpServers: entry(tools) })
  await expect.poll(() => gateway.log(), POLL).toContain('mcpServers.one.tools.ecko')
  const log = gateway.log()
  expect(log).toContain('.mcp.json')
  expect(log).toContain("Did you mean 'echo'?")
  expect(log).toContain('mcpServers.one.tools.whoami.parameter')
  expect(log).toContain("Did you mean 'parameters'?")
  const names = await toolNames(client)
  // What an override was to hide or to fix is not open instead.
  expect(names.filter((name) => ['slow', 'whoami', 'echo'].includes(name))).toEqual([])
  expect(names).toEqual(expect.arrayContaining(['odd', 'fail', 'touch']))
  expect(textOf(await call(client, 'odd', { text: 'the renamed one' }))).toBe('the renamed one')
  const status = structured(await call(client, 'get_gateway_status'))
  expect(JSON.stringify(status)).toContain('the tool has no parameter')
  const checked = await runBuilt(gateway.folder, ['check'])
  expect(checked.code).toBe(1)
  expect(checked.stderr).toContain('mcpServers.one.tools.whoami.parameter')
})

it('a fixed value may be a key of the person who calls', async () => {
  const folder = tempFolder()
  const store = createFileKeyStore(identityFiles(folder.file('data')).keys)
  const [ada, bob] = [await store.create('ada', {}), await store.create('bob', {})]
  const gateway = await openGateway({
    folder,
    servers: entry({ echo: { parameters: { text: { fixed: 'I am ${user.LOGIN}' } } } }),
    settings: { auth: { required: true } },
    env: { PORTOLAN_KEYRING: 'off' },
  })
  const setKey = async (who: { secret: string }, value: string) =>
    fetch(`${gateway.url}/api/dashboard/connections/keys`, {
      method: 'POST',
      headers: {
        ...headersOf(who),
        'content-type': 'application/json',
        'x-portolan-dashboard': '1',
      },
      body: JSON.stringify({ name: 'LOGIN', value }),
    })
  const said = async (who: { secret: string }) => {
    const client = await gateway.connect({ headers: headersOf(who), query: '' })
    return textOf(await execute(client, 'one', 'echo', { text: 'somebody else' }))
  }
  expect(await said(ada)).toContain('needs a key of yours that is not set: LOGIN')
  await setKey(ada, 'ada-l')
  await setKey(bob, 'bob-b')
  expect(await said(ada)).toBe('I am ada-l')
  expect(await said(bob)).toBe('I am bob-b')
})
