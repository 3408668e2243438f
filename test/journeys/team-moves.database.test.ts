import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { beginTask, untilStatus, withTasks } from '../support/clients/extensions.ts'
import { call, execute, structured, textOf } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { startGateway } from '../support/gateway.ts'
import { createDatabase } from '../support/postgres.ts'
import { runCli } from '../support/run-cli.ts'
import { OAuthClient } from '../support/sign-in/oauth-client.ts'
import type { Person } from '../support/sign-in/signing-client.ts'
import { startShopServer } from '../support/start-shop-server.ts'
import { stdioUpstream } from '../support/start.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

vi.setConfig({ testTimeout: 120_000 })

const PASSWORD = 'correct horse battery staple'
const SETTINGS = {
  auth: { required: true, server: { enabled: true } },
  tasks: { offerAfterMs: 50 },
  builtins: { traces: true },
}
const ALL = { allow: { servers: ['*'], scripts: true } }
const RULES = { agents: { ada: ALL, grace: ALL } }
const APPROVE = `const { approved } = await tools.shop.approve({ item: 'tea' })
  return approved ? tools.shop.buy({ item: 'tea' }) : 'declined'`

const withPassword: Person = async (browser, first) => {
  const form = { action: 'password', user: 'grace', password: PASSWORD }
  const consent = first.text.includes('name="password"') ? await browser.submit(first, form) : first
  return browser.submit(consent, { action: 'allow', effect: ['read', 'write', 'delete'] })
}

function writeFiles(folder: TempFolder, shop: { url: string }) {
  folder.write('.mcp.json', {
    mcpServers: {
      notes: stdioUpstream(),
      docs: { builtin: 'knowledge' },
      shop: { url: shop.url },
    },
  })
  folder.write('.mcp-gateway-rules.json', RULES)
  folder.write('portolan.yaml', SETTINGS)
  return folder
}

const open = async (url: string, key: string, era: 'legacy' | 'modern' = 'legacy') =>
  openHttp(era, `${url}/mcp?surface=scripts`, { authorization: `Bearer ${key}` })

it('a team that outgrows one machine takes its keys, people, scripts and documents along', async () => {
  const shop = await startShopServer()
  onTestFinished(async () => shop.close())
  const folder = writeFiles(tempFolder(), shop)
  const alone = { PORTOLAN_KEYRING: 'off' }
  const program = async (words: string, env: Record<string, string> = alone, stdin = '') => {
    const ended = await runCli(folder, words.split(' '), env, stdin)
    expect(ended, `${words}: ${ended.stderr}`).toMatchObject({ code: 0 })
    return ended.stdout + ended.stderr
  }
  const key = /ptk_\S+/.exec(await program('keys create ada'))?.[0] ?? ''
  await program('users create grace --password-stdin', alone, PASSWORD)
  const small = await startGateway(folder, [], alone)
  const ada = await open(small.url, key)
  const url = folder.write('ferry.md', `# Ferry\n\n${'The ferry leaves at noon. '.repeat(30)}\n`)
  expect(structured(await execute(ada, 'docs', 'knowledge_ingest', { url }))).toMatchObject({
    status: 'complete',
  })
  const proposed = await call(ada, 'run_script', {
    code: `'hello ' + await tools.notes.echo({ text: input.text })`,
    input: { text: 'x' },
    save: { name: 'greet', description: 'Greets' },
  })
  const digest = /approve (\w+)/.exec(String(structured(proposed)['saved']))?.[1] ?? ''
  await program(`scripts approve ${digest}`)
  const modern = withTasks(await open(small.url, key, 'modern'))
  const asking = await beginTask(modern, { name: 'run_script', arguments: { code: APPROVE } })
  await untilStatus(modern, asking, 'input_required')
  const oauth = await new OAuthClient(small.url).register()
  await oauth.redeem(await oauth.code(withPassword))
  await small.close()

  const shared = {
    ...alone,
    PORTOLAN_SECRET_KEY: 'a key for the whole team',
    PORTOLAN_DATABASE_URL: await createDatabase(inject('postgresUrl')),
  }
  expect(await program('storage copy', shared)).toContain('1 keys')

  const replicas = await Promise.all(
    [tempFolder(), tempFolder()].map(async (place) =>
      startGateway(writeFiles(place, shop), [], shared),
    ),
  )
  for (const replica of replicas) {
    const client = await open(replica.url, key)
    const found = await execute(client, 'docs', 'knowledge_search', { query: 'when is the ferry' })
    expect(JSON.stringify(found)).toContain('noon')
    const greet = async () =>
      structured(await execute(client, 'scripts', 'greet', { text: 'x' }))['result']
    await expect.poll(greet).toBe('hello x')
    const again = await new OAuthClient(replica.url).register()
    const { body } = await again.redeem(await again.code(withPassword))
    const grace = await open(replica.url, body.access_token)
    const said = await execute(grace, 'notes', 'echo', { text: 'grace is here' })
    expect(textOf(said)).toContain('grace is here')
    const asTask = withTasks(await open(replica.url, key, 'modern'))
    // What waits for a person is sealed with the key of its machine: that is said, not hidden.
    expect(await asTask.request('tasks/get', { taskId: asking })).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringContaining('sealed with another key'),
    })
  }
})
