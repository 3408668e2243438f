import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { createFileKeyStore } from '../../src/identity/file-key-store.ts'
import { identityFiles } from '../../src/identity/identity-files.ts'
import { call, textOf } from '../support/clients/talk.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { LittleBrowser } from '../support/little-browser.ts'
import { startMailServer } from '../support/mail-server.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runCli } from '../support/run-cli.ts'
import { startShopServer } from '../support/start-shop-server.ts'
import { stdioUpstream } from '../support/start.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const aValue = (name: string) => `${name}-${randomBytes(12).toString('hex')}`
const SHARED = { PORTOLAN_KEYRING: 'off' }

it('after a day of work, no secret stands in any file of the data folder', async () => {
  const secrets = Object.fromEntries(
    ['adopted', 'set', 'user', 'added', 'written', 'edited', 'approved', 'called', 'vault'].map(
      (name) => [name, aValue(name)],
    ),
  ) as Record<string, string>
  const folder = tempFolder()
  const cli = async (args: string[], input = '', env = {}) => {
    const done = await runCli(folder, args, { ...SHARED, ...env }, input)
    expect(done).toMatchObject({ code: 0 })
    return done.stdout
  }

  // Before the gateway: a client with a key, what earlier versions left, commands, an editor.
  folder.write('.claude.json', {
    mcpServers: { gh: { ...stdioUpstream(), env: { GH_TOKEN: secrets['adopted'] } } },
  })
  folder.write('data/secrets.env', `WRITTEN=${secrets['written']}\n`)
  await cli(['adopt', '--yes', '--no-count'])
  await cli(['secrets', 'set', 'SET'], secrets['set'])
  const { command, args } = stdioUpstream()
  await cli([
    'server',
    'add',
    'added',
    '-e',
    `ADDED_TOKEN=${secrets['added']}`,
    '--',
    command,
    ...args,
  ])
  const own = folder.read('data/mcp.json')
  folder.write('data/mcp.json', own.replace('${ADDED_TOKEN}', secrets['edited'] ?? ''))
  await cli(['server', 'disable', 'gh'])
  folder.write('data/mcp.json', own)
  await cli(['server', 'enable', 'gh']).catch(() => undefined)

  // A working day: sign-ins, keys of people, scripts, approvals, captured calls, refused calls.
  const [mail, shop] = [await startMailServer(onTestFinished), await startShopServer()]
  onTestFinished(async () => shop.close())
  const store = createFileKeyStore(identityFiles(folder.file('data')).keys)
  const ada = (await store.create('ada', { role: 'admin' })).secret
  folder.write('value', secrets['vault'])
  const helpers = { file: ['cat', folder.file('{ref}')] }
  folder.write('data/portolan.yaml', {
    secrets: { helpers },
    auth: { required: true },
    approvals: { waitMs: 300 },
  })
  const near = {
    ...stdioUpstream(),
    env: { SET: '${SET}', VAULT: '${file:value}', WRITTEN: '${WRITTEN}' },
  }
  const personal = { ...stdioUpstream(), env: { KEY: '${user.KEY}' } }
  const gateway = await openGateway({
    folder,
    servers: { near, personal, mail: { url: mail.url }, shop: { url: shop.url } },
    rules: {
      agents: {
        ada: { allow: { servers: ['*'], scripts: true }, ask: { tools: { personal: ['echo'] } } },
      },
    },
    env: SHARED,
  })
  const bearer = { authorization: `Bearer ${ada}` }
  const listen = { PORTOLAN_KEY: ada, PORTOLAN_LISTEN_PORT: new URL(gateway.url).port }
  await cli(['secrets', 'set', '--user', 'KEY'], secrets['user'], listen)
  const page = await new LittleBrowser('ada').open(`${gateway.url}/connect/start/mail`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: gateway.url },
    body: `key=${encodeURIComponent(ada)}`,
  })
  expect(page.status).toBe(200)
  const ask = dashboardOf(gateway.url, bearer)
  expect((await ask('POST /capture', { body: { on: true } })).status).toBe(200)
  const client = await gateway.connect({ headers: bearer, capabilities: { roots: {} } })
  expect(textOf(await call(client, 'mail__whoami'))).toContain('you are ada')
  const seen = JSON.stringify([
    await call(client, 'near__whoami'),
    await call(client, 'personal__whoami'),
  ])
  for (const name of ['set', 'written', 'vault', 'user']) expect(seen).toContain(secrets[name])
  await call(client, 'near__echo', { text: secrets['called'] })
  const parked = await call(client, 'personal__echo', { text: secrets['approved'] })
  expect(textOf(parked)).toContain('APPROVAL_PENDING')
  const scripts = await gateway.connect({
    era: 'modern',
    query: 'surface=scripts',
    headers: bearer,
  })
  const code = `const { supplier } = await tools.shop.price({ item: ${JSON.stringify(secrets['called'])} })
    return [supplier, await tools.shop.approve({ item: 'tea' })]`
  const suspended = await scripts.text('tools/call', { name: 'run_script', arguments: { code } })
  expect(suspended).toContain('suspended-script.')
  await gateway.close()

  expect(existsSync(folder.file('data/secrets.env'))).toBe(false)
  const tokens = Object.fromEntries([...mail.tokens].map((token, n) => [`token ${n}`, token]))
  expect(Object.keys(tokens)).not.toHaveLength(0)
  const all = { ...secrets, ...tokens, supplier: 'classified-supplier', ada }
  expect(filesWith(folder, all)).toEqual([])
})

/** Returns the files of the data folder that show one of the values, as they are or in base64. */
function filesWith(folder: TempFolder, values: Readonly<Record<string, string>>): string[] {
  const files = readdirSync(folder.file('data'), { recursive: true, encoding: 'utf8' })
    .map((file) => `data/${file}`)
    .filter((file) => statSync(folder.file(file)).isFile())
  expect(files.length).toBeGreaterThan(10)
  return files.flatMap((file) => {
    const content = readFileSync(folder.file(file), 'latin1')
    return Object.entries(values).flatMap(([name, value]) => {
      const base64 = [0, 1, 2].map((gap) =>
        Buffer.from('x'.repeat(gap) + value)
          .toString('base64')
          .slice(gap === 0 ? 0 : 4, -4),
      )
      return [value, ...base64].some((form) => form !== '' && content.includes(form))
        ? [`${file}: ${name}`]
        : []
    })
  })
}
