import { expect, it, onTestFinished } from 'vitest'
import { beginTask, untilStatus, withTasks } from '../support/clients/extensions.ts'
import { call, refusal, structured, textOf } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { startGateway } from '../support/gateway.ts'
import { runCli } from '../support/run-cli.ts'
import { OAuthClient } from '../support/sign-in/oauth-client.ts'
import type { Person } from '../support/sign-in/signing-client.ts'
import { startShopServer } from '../support/start-shop-server.ts'
import { stdioUpstream } from '../support/start.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const PASSWORD = 'correct horse battery staple'
const ENV = { PORTOLAN_KEYRING: 'off' }
const SETTINGS = {
  auth: { required: true, server: { enabled: true } },
  tasks: { offerAfterMs: 50 },
}
const RULES = { agents: { ada: { allow: { servers: ['*'], scripts: true } } } }
const APPROVE = `const { approved } = await tools.shop.approve({ item: 'tea' })
  return approved ? tools.shop.buy({ item: 'tea' }) : 'declined'`

const users = async (folder: TempFolder, ...words: string[]) =>
  expect(await runCli(folder, ['users', ...words], ENV, PASSWORD)).toMatchObject({ code: 0 })

const withPassword: Person = async (browser, first) => {
  const form = { action: 'password', user: 'ada', password: PASSWORD }
  const consent = await browser.submit(first, form)
  return browser.submit(consent, { action: 'allow', effect: ['read', 'write', 'delete'] })
}

/** Signs Ada in, with a client of each era. */
async function signIn(url: string) {
  const oauth = await new OAuthClient(url).register()
  const { body } = await oauth.redeem(await oauth.code(withPassword))
  const headers = { authorization: `Bearer ${body.access_token}` }
  const open = async (era: 'legacy' | 'modern', query: string) =>
    openHttp(era, `${url}/mcp?${query}`, headers)
  return {
    tasks: withTasks(await open('modern', 'surface=direct')),
    discover: await open('modern', 'surface=discover'),
    legacy: await open('legacy', 'surface=discover'),
  }
}

it('who gets the name of a person who left sees nothing that was theirs, also after a kill', async () => {
  const shop = await startShopServer()
  onTestFinished(async () => shop.close())
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { notes: stdioUpstream(), shop: { url: shop.url } } })
  folder.write('.mcp-gateway-rules.json', RULES)
  folder.write('portolan.yaml', SETTINGS)
  let gateway = await startGateway(folder, [], ENV)
  await users(folder, 'create', 'ada', '--password-stdin')
  const first = await signIn(gateway.url)

  const rows = Array.from({ length: 300 }, (_, id) => ({ id, name: `the secret of row ${id}` }))
  const long = await call(first.discover, 'execute_tool', {
    server: 'notes',
    tool: 'echo',
    args: { text: JSON.stringify({ rows }) },
    max_tokens: 300,
  })
  const { _handle: handle } = JSON.parse(textOf(long))
  const read = { name: 'read_result', arguments: { handle, select: 'rows[].id' } }
  expect(structured(await first.discover.request('tools/call', read))).not.toHaveProperty('error')

  const slow = await beginTask(first.tasks, {
    name: 'notes__slow',
    arguments: { ms: 500, steps: 2 },
  })
  await untilStatus(first.tasks, slow, 'completed')
  const script = { name: 'run_script', arguments: { code: APPROVE } }
  const asked = JSON.parse(await first.discover.text('tools/call', script)).result
  expect(asked).toMatchObject({ resultType: 'input_required' })
  const answer = { action: 'accept', content: { ok: true } }
  const keys = Object.keys(asked.inputRequests)
  const inputResponses = Object.fromEntries(keys.map((key) => [key, answer]))
  const back = { ...script, requestState: asked.requestState, inputResponses }

  await users(folder, 'remove', 'ada')
  const left = async () => (await refusal(call(first.legacy, 'list_servers'))).message
  await expect.poll(left).toBeTruthy()
  await users(folder, 'create', 'ada', '--password-stdin')

  for (const ending of ['SIGKILL', undefined] as const) {
    const { tasks, discover } = await signIn(gateway.url)
    const gone = structured(await discover.request('tools/call', read))
    expect(gone).toMatchObject({ error: { code: 'RESULT_GONE' } })
    expect(await refusal(tasks.request('tasks/get', { taskId: slow }))).toMatchObject({
      code: -32602,
    })
    const refused = JSON.parse(await discover.text('tools/call', back))
    expect(JSON.stringify(refused)).toContain('requestState is unknown')
    expect(shop.bought).toEqual([])
    if (ending === undefined) continue
    gateway.child.kill(ending)
    await expect.poll(() => gateway.child.signalCode).toBe(ending)
    gateway = await startGateway(folder, [], ENV)
  }
})
