import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createFileKeyStore } from '../../src/identity/file-key-store.ts'
import { identityFiles } from '../../src/identity/identity-files.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import { call, execute, structured, textOf, valueOf } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { type RunningGateway, startGateway } from '../support/gateway.ts'
import { LittleBrowser } from '../support/little-browser.ts'
import { type MailOptions, type MailServer, startMailServer } from '../support/mail-server.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const PLAIN = { PORTOLAN_KEYRING: 'off' }
const POLL = { timeout: 30_000, interval: 200 }

async function setUp(options: MailOptions = {}) {
  const mail = await startMailServer(onTestFinished, options)
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { mail: { url: mail.url } } })
  folder.write('portolan.yaml', 'auth:\n  required: true\ncache:\n  enabled: true\n')
  const store = createFileKeyStore(identityFiles(folder.file('data')).keys)
  const keys = {
    ada: (await store.create('ada', {})).secret,
    bob: (await store.create('bob', {})).secret,
  }
  return { mail, folder, keys }
}

interface ClientOptions {
  readonly era?: 'legacy' | 'modern'
  readonly capabilities?: JsonObject
}

async function person(
  gateway: RunningGateway,
  key: string,
  { era = 'modern', capabilities }: ClientOptions = {},
) {
  const headers = { authorization: `Bearer ${key}` }
  const client = await openHttp(era, `${gateway.url}/mcp`, headers, { capabilities })
  // The gateway may be gone by then.
  onTestFinished(async () => client.close().catch(() => undefined))
  return {
    client,
    whoami: async () => textOf(await execute(client, 'mail', 'whoami')),
  }
}

/** What a person does with the address of an error: shows the key, and signs in at the server. */
async function signIn(gateway: RunningGateway, name: string, key: string): Promise<string> {
  const browser = new LittleBrowser(name)
  const address = `${gateway.url}/connect/start/mail`
  const asked = await browser.open(address)
  expect(asked.status).toBe(401)
  expect(await asked.text()).toContain('Your Portolan key')
  const page = await browser.open(address, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: gateway.url },
    body: `key=${encodeURIComponent(key)}`,
  })
  return page.text()
}

function everythingIn(folder: TempFolder): string {
  const files = readdirSync(folder.file('data'), { recursive: true, encoding: 'utf8' })
  return files
    .map((file) => join(folder.file('data'), file))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')
}

function expectNoToken(text: string, { tokens }: MailServer): void {
  expect(tokens.size).toBeGreaterThan(0)
  const shown = [...tokens].filter((token) => token !== '' && text.includes(token))
  expect(shown).toEqual([])
}

it('two people use one server, each with their own sign-in and nothing of the other', async () => {
  const { mail, folder, keys } = await setUp({ slowMs: 200 })
  const gateway = await startGateway(folder, [], PLAIN)
  const [ada, bob] = [
    await person(gateway, keys.ada),
    await person(gateway, keys.bob, { era: 'legacy' }),
  ]

  // Nobody has signed in: both learn where, and one sign-in does not help the other.
  for (const { whoami } of [ada, bob])
    expect(await whoami()).toContain(`${gateway.url}/connect/start/mail`)
  expect(await signIn(gateway, 'ada', keys.ada)).toContain('Signed in to mail')
  await expect.poll(ada.whoami, POLL).toBe('you are ada')
  expect(await bob.whoami()).toContain('/connect/start/mail')
  expect(mail.calls.map(({ account }) => account)).not.toContain('bob')

  // What the server lists for Ada says nothing about what it lists for Bob.
  const find = async (by: typeof ada, query: string) =>
    JSON.stringify(valueOf(await call(by.client, 'find_tools', { query })))
  const foundByBob = await find(bob, 'letters received')
  expect(foundByBob).toContain('mail waits for a sign-in')
  expect(foundByBob).not.toMatch(/inbox|diary_of/)
  expect(await find(ada, 'diary')).toContain('diary_of_ada')
  expect(JSON.stringify(await bob.client.request('resources/list'))).not.toContain('ada')
  expect(JSON.stringify(await ada.client.request('resources/list'))).toContain('Letter to ada')

  expect(await signIn(gateway, 'bob', keys.bob)).toContain('Signed in to mail')
  await expect.poll(bob.whoami, POLL).toBe('you are bob')
  expect(await find(bob, 'diary')).toContain('diary_of_bob')
  expect(await find(bob, 'diary')).not.toContain('diary_of_ada')
  const guessed = await execute(bob.client, 'mail', 'diary_of_adb').catch(String)
  expect(JSON.stringify(guessed)).toContain('diary_of_bob')
  expect(JSON.stringify(guessed)).not.toContain('diary_of_ada')
  const named = await execute(bob.client, 'mail', 'diary_of_ada').catch(String)
  expect(JSON.stringify(named)).toContain('Unknown tool')
  expect(mail.calls).not.toContainEqual({ account: 'bob', method: 'diary_of_ada' })
  expect(textOf(await execute(ada.client, 'mail', 'diary_of_ada'))).toBe('you are ada')

  // Cached results, and requests that are shared while they run.
  const answers = await Promise.all(
    Array.from({ length: 10 }, async (_, n) => (n % 2 === 0 ? ada : bob).whoami()),
  )
  expect(answers).toEqual(answers.map((_, n) => `you are ${n % 2 === 0 ? 'ada' : 'bob'}`))

  // Kept results.
  const trimmed = await call(ada.client, 'execute_tool', {
    server: 'mail',
    tool: 'inbox',
    args: {},
    max_tokens: 200,
  })
  const handle = /r_[0-9a-f]{10}/.exec(JSON.stringify(trimmed))?.[0]
  expect(handle).toBeDefined()
  const read = async (by: typeof ada) =>
    JSON.stringify(await call(by.client, 'read_result', { handle }).catch(String))
  expect(await read(ada)).toContain('"to')
  expect(await read(bob)).not.toContain('Letter')

  // Resources.
  const listed = JSON.stringify(await bob.client.request('resources/list'))
  const uri = /"uri":"([^"]+)"/.exec(listed)?.[1]
  const own = await bob.client.request('resources/read', { uri })
  expect(JSON.stringify(own)).toContain('Dear bob')
  expect(JSON.stringify(await bob.client.request('resources/list'))).not.toContain('ada')

  expect(mail.counts.registrations).toBe(1)
  const metrics = await fetch(`${gateway.url}/metrics`, {
    headers: { authorization: `Bearer ${keys.ada}` },
  })
  expectNoToken(await metrics.text(), mail)
  await gateway.close()
  expectNoToken(gateway.log(), mail)
  expectNoToken(everythingIn(folder), mail)
})

it('a call that waits for its person goes on for nobody else, and a sub-agent speaks for its own person', async () => {
  const { mail, folder, keys } = await setUp()
  const gateway = await startGateway(folder, [], PLAIN)
  const capabilities = { elicitation: { form: {}, url: {} } }
  const ada = await person(gateway, keys.ada, { capabilities })
  const bob = await person(gateway, keys.bob, { capabilities })
  const params = { name: 'execute_tool', arguments: { server: 'mail', tool: 'whoami', args: {} } }
  const parked = JSON.parse(await ada.client.text('tools/call', params))
  expect(parked.result).toMatchObject({ resultType: 'input_required' })
  const { inputRequests, requestState } = parked.result
  const accepted = Object.keys(inputRequests).map((key) => [key, { action: 'accept' }])
  const answered = { ...params, requestState, inputResponses: Object.fromEntries(accepted) }

  expect(await signIn(gateway, 'bob', keys.bob)).toContain('Signed in to mail')
  expect(await bob.client.text('tools/call', answered)).toContain('requestState is unknown')
  expect(mail.calls.map(({ method }) => method)).not.toContain('whoami')
  expect(await signIn(gateway, 'ada', keys.ada)).toContain('Signed in to mail')
  expect(await ada.client.text('tools/call', answered)).toContain('you are ada')

  const subAgentOf = async (parent: typeof ada) => {
    const { handle } = structured(await call(parent.client, 'mint_handle', { name: 'helper' }))
    return person(gateway, String(handle))
  }
  const [ofAda, ofBob] = [await subAgentOf(ada), await subAgentOf(bob)]
  for (const [child, parent] of [
    [ofAda, 'ada'],
    [ofBob, 'bob'],
  ] as const)
    expect(await child.whoami()).toBe(`you are ${parent}`)
})

it.each(['legacy', 'modern'] as const)(
  'a %s client that can open addresses shows its person where to sign in, and the call goes on',
  async (era) => {
    const { mail, folder, keys } = await setUp()
    const gateway = await startGateway(folder, [], PLAIN)
    const { client, whoami } = await person(gateway, keys.ada, {
      era,
      capabilities: { elicitation: { form: {}, url: {} } },
    })
    const answer = whoami()
    await expect
      .poll(() => client.asked, POLL)
      .toMatchObject([
        {
          method: 'elicitation/create',
          params: { mode: 'url', url: `${gateway.url}/connect/start/mail` },
        },
      ])
    expect(await signIn(gateway, 'ada', keys.ada)).toContain('Signed in to mail')
    expect(await answer).toBe('you are ada')
    expect(mail.calls.filter(({ method }) => method === 'whoami')).toHaveLength(1)

    const other = await person(gateway, keys.bob, {
      era,
      capabilities: { elicitation: { form: {}, url: {} } },
    })
    other.client.answers['elicitation/create'] = { action: 'decline' }
    expect(await other.whoami()).toContain('/connect/start/mail')
    expect(other.client.asked).toHaveLength(1)
  },
)

it('a sign-in outlives a restart, a new key for what is stored, and many renewals', async () => {
  const { mail, folder, keys } = await setUp({ tokenSeconds: 2 })
  const first = await startGateway(folder, [], { ...PLAIN, PORTOLAN_SECRET_KEY: 'one' })
  const before = await person(first, keys.ada)
  await before.whoami()
  expect(await signIn(first, 'ada', keys.ada)).toContain('Signed in to mail')
  await expect.poll(before.whoami, POLL).toBe('you are ada')
  // Many calls while the token ends: refresh tokens work once, so that a second use would end it all.
  const noCache = { server: 'mail', tool: 'whoami', args: {}, no_cache: true }
  const until = Date.now() + 6_000
  while (Date.now() < until) {
    const round = await Promise.all(
      Array.from({ length: 5 }, async () =>
        textOf(await call(before.client, 'execute_tool', noCache)),
      ),
    )
    expect(new Set(round)).toEqual(new Set(['you are ada']))
  }
  expect(mail.counts.refreshes).toBeGreaterThan(1)
  expect(mail.counts.refusals).toBe(0)
  await first.close()

  const second = await startGateway(folder, [], {
    ...PLAIN,
    PORTOLAN_SECRET_KEY: 'two',
    PORTOLAN_SECRET_KEY_PREVIOUS: 'one',
  })
  const after = await person(second, keys.ada)
  expect(await after.whoami()).toBe('you are ada')
  // What a renewal reads is sealed with the new key when it is read.
  const renewed = mail.counts.refreshes
  const renewals = async () => {
    await call(after.client, 'execute_tool', noCache)
    return mail.counts.refreshes
  }
  await expect.poll(renewals, POLL).toBeGreaterThan(renewed)
  await second.close()
  const third = await startGateway(folder, [], { ...PLAIN, PORTOLAN_SECRET_KEY: 'two' })
  expect(await (await person(third, keys.ada)).whoami()).toBe('you are ada')
  expect(await (await person(third, keys.bob)).whoami()).toContain('/connect/start/mail')
  expect(mail.counts.registrations).toBe(1)
})
