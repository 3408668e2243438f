import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { createFileKeyStore } from '../../src/identity/file-key-store.ts'
import { identityFiles } from '../../src/identity/identity-files.ts'
import { execute, textOf } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { MAIN, type RunningGateway, gatewayEnv, startGateway } from '../support/gateway.ts'
import { LittleBrowser } from '../support/little-browser.ts'
import { startMailServer } from '../support/mail-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PLAIN = { PORTOLAN_KEYRING: 'off' }
const POLL = { timeout: 30_000, interval: 200 }

/** A program that tells its variable, one line a message. */
const TELLS = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const result = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 't', version: '1' } },
    'tools/list': { tools: [{ name: 'tell', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: process.pid + ' has ' + process.env.TOKEN } ] },
  }[method]
  if (id === undefined) return
  const answer = result ? { result } : { error: { code: -32601, message: method } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n')
})`

async function asking(gateway: RunningGateway, key: string) {
  const headers = { authorization: `Bearer ${key}` }
  const client = await openHttp('modern', `${gateway.url}/mcp`, headers)
  onTestFinished(async () => client.close().catch(() => undefined))
  const dashboard = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${gateway.url}/api/dashboard${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json', 'x-portolan-dashboard': '1' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return response.json()
  }
  return { client, dashboard }
}

it('each person has their own key, process and answers', async () => {
  const folder = tempFolder()
  folder.write('tells.cjs', TELLS)
  const env = { TOKEN: '${user.CRM_TOKEN}' }
  const entry = { command: process.execPath, args: [folder.file('tells.cjs')], env }
  folder.write('.mcp.json', { mcpServers: { crm: entry } })
  folder.write('portolan.yaml', 'auth:\n  required: true\n')
  const store = createFileKeyStore(identityFiles(folder.file('data')).keys)
  const [ada, bob] = [await store.create('ada', {}), await store.create('bob', {})]
  const gateway = await startGateway(folder, [], PLAIN)
  const people = [await asking(gateway, ada.secret), await asking(gateway, bob.secret)]
  const [one, two] = people
  if (!one || !two) throw new Error('there are two')
  const tell = async ({ client }: typeof one) => textOf(await execute(client, 'crm', 'tell'))

  expect(await tell(one)).toContain('needs a key of yours that is not set: CRM_TOKEN')
  await one.dashboard('POST', '/connections/keys', { name: 'CRM_TOKEN', value: 'key-of-ada' })
  expect(await tell(one)).toMatch(/^\d+ has key-of-ada$/)
  expect(await tell(two)).toContain(`${gateway.url}/connections?server=crm`)

  // From the command line, as the person whose key it is.
  const child = spawn(process.execPath, [MAIN, 'secrets', 'set', '--user', 'CRM_TOKEN'], {
    cwd: folder.path,
    env: {
      ...gatewayEnv(folder, PLAIN),
      PORTOLAN_KEY: bob.secret,
      PORTOLAN_LISTEN_PORT: new URL(gateway.url).port,
    },
    stdio: ['pipe', 'inherit', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (data) => (said += String(data)))
  child.stdin.end('key-of-bob\n')
  await once(child, 'exit')
  expect(said).toContain('CRM_TOKEN is set for you')
  expect(await tell(two)).toMatch(/^\d+ has key-of-bob$/)
  expect(await tell(one)).toMatch(/^\d+ has key-of-ada$/)

  const shown = JSON.stringify(await one.dashboard('GET', '/connections'))
  expect(shown).toContain('{"name":"CRM_TOKEN","isSet":true}')
  expect(shown).not.toContain('key-of')
  await one.dashboard('POST', '/connections/keys', { name: 'CRM_TOKEN', value: '' })
  expect(await tell(one)).toContain('is not set: CRM_TOKEN')
  expect(await tell(two)).toMatch(/has key-of-bob$/)
})

it('no cached answer outlives the key it was obtained with', async () => {
  const folder = tempFolder()
  folder.write('tells.cjs', TELLS)
  const env = { TOKEN: '${user.CRM_TOKEN}' }
  const entry = { command: process.execPath, args: [folder.file('tells.cjs')], env }
  folder.write('.mcp.json', { mcpServers: { crm: entry } })
  const tools = { 'crm.tell': { ttlMs: 600_000, shared: true } }
  folder.write('portolan.yaml', { auth: { required: true }, cache: { tools } })
  const store = createFileKeyStore(identityFiles(folder.file('data')).keys)
  const [ada, bob] = [await store.create('ada', {}), await store.create('bob', {})]
  const gateway = await startGateway(folder, [], PLAIN)
  const [one, two] = [await asking(gateway, ada.secret), await asking(gateway, bob.secret)]
  const tell = async ({ client }: typeof one) => textOf(await execute(client, 'crm', 'tell'))
  const setKey = async ({ dashboard }: typeof one, value: string) =>
    dashboard('POST', '/connections/keys', { name: 'CRM_TOKEN', value })

  await setKey(one, 'first-of-ada')
  await setKey(two, 'key-of-bob')
  expect(await tell(one)).toMatch(/has first-of-ada$/)
  expect(await tell(two)).toMatch(/has key-of-bob$/)
  await setKey(one, 'second-of-ada')
  expect(await tell(one)).toMatch(/has second-of-ada$/)
  await setKey(one, '')
  expect(await tell(one)).toContain('is not set: CRM_TOKEN')
})

it('a person sees, begins and ends their own sign-in on the dashboard, and nobody else’s', async () => {
  const mail = await startMailServer(onTestFinished)
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { mail: { url: mail.url } } })
  folder.write('portolan.yaml', 'auth:\n  required: true\n')
  const store = createFileKeyStore(identityFiles(folder.file('data')).keys)
  const ada = await store.create('ada', { role: 'viewer' })
  const root = await store.create('root', { role: 'admin' })
  const gateway = await startGateway(folder, [], PLAIN)
  const [one, admin] = [await asking(gateway, ada.secret), await asking(gateway, root.secret)]
  const whoami = async () => textOf(await execute(one.client, 'mail', 'whoami'))
  expect(await whoami()).toContain('/connect/start/mail')
  const needed = { server: 'mail', state: 'needed', canSignIn: true, signedInAt: null }
  expect(await one.dashboard('GET', '/connections')).toMatchObject({ connections: [needed] })

  const browser = new LittleBrowser('ada')
  const answer = await browser.open(`${gateway.url}/api/dashboard/connections/mail/sign-in`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.secret}`, 'x-portolan-dashboard': '1' },
    body: '{}',
  })
  const { address }: { address: string } = JSON.parse(await answer.text())
  expect(await (await browser.open(address)).text()).toContain('Signed in to mail')
  await expect.poll(whoami, POLL).toBe('you are ada')
  await expect
    .poll(async () => one.dashboard('GET', '/connections'), POLL)
    .toMatchObject({
      connections: [{ state: 'signed-in', scope: 'mail', usedAt: expect.any(String) }],
    })
  expect(await admin.dashboard('GET', '/connections')).toMatchObject({
    connections: [{ server: 'mail', signedInAt: null, usedAt: null }],
  })

  await one.dashboard('POST', '/connections/mail/sign-out')
  await expect.poll(whoami, POLL).toContain('/connect/start/mail')
  // The authorization server has forgotten it too.
  const [token] = [...mail.tokens].filter((text) => text !== '')
  const used = await fetch(mail.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  expect(used.status).toBe(401)
})
