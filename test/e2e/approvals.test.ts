import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { beginTask } from '../support/clients/extensions.ts'
import { call, refusal, structured, textOf, valueOf } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { runCli } from '../support/run-cli.ts'
import { stdioUpstream } from '../support/start.ts'

const INTERACTION = 'anthropic/requiresUserInteraction'
const NO_QUESTIONS = { roots: {} }

async function aGateway(more: JsonObject = {}, env: Record<string, string> = {}) {
  return openGateway({
    servers: { one: stdioUpstream('--era', 'both') },
    rules: {
      agents: { ada: { allow: { servers: ['*'] }, ask: { tools: { one: ['echo'] } } } },
      defaults: { deny_on_missing_agent: true },
    },
    settings: { approvals: { waitMs: 300, ...more } },
    env,
  })
}

async function asAda(gateway: Opened, era: 'legacy' | 'modern', capabilities?: JsonObject) {
  const client = await gateway.connect({
    era,
    headers: { 'x-agent-id': 'ada' },
    ...(capabilities && { capabilities }),
  })
  return client
}

const echo = async (client: RawClient, text = 'hello') => call(client, 'echo', { text })

/** How many calls the server has got, before this one. */
async function callsOf(client: RawClient): Promise<number> {
  return Number(structured(await call(client, 'whoami'))['calls'])
}

async function approvals({ folder }: Opened, ...args: string[]) {
  return runCli(folder, ['approvals', ...args])
}

async function waiting(gateway: Opened): Promise<JsonObject[]> {
  return JSON.parse((await approvals(gateway, 'list', '--json')).stdout)
}

it.each([
  ['a legacy client that can be asked shows the question', 'legacy'],
  ['a modern client that can be asked shows the question', 'modern'],
] as const)('%s', async (_, era) => {
  const gateway = await aGateway()
  const client = await asAda(gateway, era)
  client.answers['elicitation/create'] = { action: 'accept', content: { decision: 'once' } }
  expect(textOf(await echo(client))).toBe('hello')
  const questions = () => client.asked.filter(({ method }) => method === 'elicitation/create')
  const [question] = questions()
  expect(question).toMatchObject({
    method: 'elicitation/create',
    params: {
      message: expect.stringContaining('"text":"hello"'),
      _meta: { 'anthropic/permissionDisplay': { displayName: 'one.echo' } },
    },
  })
  client.answers['elicitation/create'] = {
    action: 'accept',
    content: { decision: 'deny', reason: 'use another text' },
  }
  expect(textOf(await echo(client, 'other'))).toContain('denied this call')
  expect(textOf(await echo(client, 'other'))).toContain('use another text')
  expect(questions(), 'what was denied is not asked again').toHaveLength(2)
  for (const action of ['cancel', 'decline']) {
    client.answers['elicitation/create'] = { action }
    const refused = textOf(await echo(client, action))
    expect(refused, 'as a program does, before anybody can read').toContain('APPROVAL_PENDING')
  }
  const [{ id } = {}] = await waiting(gateway)
  await approvals(gateway, 'approve', String(id))
  expect(textOf(await echo(client, 'decline'))).toBe('decline')
})

it('a call of a client that cannot be asked is parked, and the same call finds the answer once', async () => {
  const gateway = await aGateway()
  const client = await asAda(gateway, 'legacy', NO_QUESTIONS)
  const pending = await echo(client)
  expect(pending['isError']).toBe(true)
  expect(textOf(pending)).toContain('APPROVAL_PENDING')
  const [only, ...others] = await waiting(gateway)
  expect(others).toEqual([])
  const id = String(only?.['id'])
  expect(only).toMatchObject({
    agent: 'ada',
    server: 'one',
    tool: 'echo',
    arguments: '{"text":"hello"}',
  })
  expect(textOf(pending)).toContain(id)

  await echo(client)
  expect(await waiting(gateway), 'one question for one call').toHaveLength(1)
  const said = await approvals(gateway, 'approve', id)
  expect(said.stderr).toContain('approved')
  expect((await approvals(gateway, 'approve', id)).stderr).toContain('approved already')

  const before = await callsOf(client)
  expect(textOf(await echo(client, 'changed')), 'other arguments').toContain('APPROVAL_PENDING')
  const many = await Promise.all(Array.from({ length: 20 }, async () => echo(client)))
  const ran = many.filter((result) => textOf(result) === 'hello')
  expect(ran, 'one approval is for one call').toHaveLength(1)
  expect(await callsOf(client)).toBe(before + 2)

  const lines = readFileSync(gateway.folder.file('data/audit.jsonl'), 'utf8')
  for (const what of ['asked', 'answered', 'used']) expect(lines).toContain(`"approvals.${what}"`)
  expect(lines).toContain(`"approval":"${id}"`)
})

it('a waiting call goes on as soon as a person approves it by command', async () => {
  const gateway = await aGateway({ waitMs: 30_000 })
  const client = await asAda(gateway, 'modern', NO_QUESTIONS)
  const result = echo(client)
  await expect.poll(async () => (await waiting(gateway)).length, { timeout: 20_000 }).toBe(1)
  const [{ id } = {}] = await waiting(gateway)
  await approvals(gateway, 'deny', String(id), '--reason', 'not today')
  expect(textOf(await result)).toContain('not today')
})

it('questions survive a restart, expire, and belong to the rule and the agent that they are about', async () => {
  const gateway = await aGateway({ expireMs: 60_000 })
  const client = await asAda(gateway, 'legacy', NO_QUESTIONS)
  await echo(client)
  const [{ id } = {}] = await waiting(gateway)
  await approvals(gateway, 'approve', String(id))
  gateway.child.kill('SIGKILL')
  await sleep(200)
  const again = await openGateway({
    servers: { one: stdioUpstream('--era', 'both') },
    rules: {
      agents: {
        ada: { allow: { servers: ['*'] }, ask: { tools: { one: ['echo'] } } },
        bob: { allow: { servers: ['*'] }, ask: { tools: { one: ['echo'] } } },
      },
    },
    settings: { approvals: { waitMs: 300 } },
    folder: gateway.folder,
  })
  const bob = await again.connect({ headers: { 'x-agent-id': 'bob' }, capabilities: NO_QUESTIONS })
  expect(textOf(await echo(bob))).toContain('APPROVAL_PENDING')
  const ada = await asAda(again, 'legacy', NO_QUESTIONS)
  expect(textOf(await echo(ada))).toBe('hello')
  expect(textOf(await echo(ada))).toContain('APPROVAL_PENDING')
})

it('is seen before the call: in the list of tools, and in a search', async () => {
  const gateway = await aGateway()
  const direct = await asAda(gateway, 'legacy')
  const { tools } = await direct.request('tools/list')
  const marked = Array.isArray(tools) ? tools.filter(({ _meta: meta }) => meta?.[INTERACTION]) : []
  expect(marked).toMatchObject([
    { name: 'echo', _meta: { 'anthropic/requiresUserInteraction': true } },
  ])
  const headers = { 'x-agent-id': 'ada' }
  const discover = await gateway.connect({ headers, query: 'surface=discover' })
  const found = valueOf(await call(discover, 'find_tools', { query: 'echo a text back' }))
  expect(JSON.stringify(found['tools'])).toContain('read, needs approval')
  const args = { server: 'one', tool: 'echo', args: { text: 'hi' } }
  const content = { decision: 'deny' }
  discover.answers['elicitation/create'] = { action: 'accept', content }
  expect(textOf(await call(discover, 'execute_tool', args))).toContain('denied')
})

it('a client that knows tasks gets one, and its question is that of the task', async () => {
  const gateway = await aGateway()
  const extensions = { 'io.modelcontextprotocol/tasks': {} }
  const client = await asAda(gateway, 'modern', { ...NO_QUESTIONS, extensions })
  const created = await echo(client)
  expect(created).toMatchObject({ resultType: 'task' })
  const { taskId } = created
  await expect.poll(async () => (await waiting(gateway)).length, { timeout: 20_000 }).toBe(1)
  const [{ id } = {}] = await waiting(gateway)
  await approvals(gateway, 'approve', String(id))
  const state = async () => (await client.request('tasks/get', { taskId }))['status']
  await expect.poll(state, { timeout: 20_000 }).toBe('completed')
  const { result } = await client.request('tasks/get', { taskId })
  expect(JSON.stringify(result)).toContain('hello')
})

it('a client that knows tasks and can be asked shows the question itself, without a task', async () => {
  const gateway = await aGateway()
  const extensions = { 'io.modelcontextprotocol/tasks': {} }
  const client = await asAda(gateway, 'modern', { elicitation: { form: {} }, extensions })
  client.answers['elicitation/create'] = { action: 'accept', content: { decision: 'once' } }
  expect(textOf(await echo(client))).toBe('hello')
  const { message } = client.asked.at(-1)?.params ?? {}
  // Claude Code shows three lines, and has the rest behind a key.
  expect(String(message).split('\n').slice(0, 2)).toEqual([
    'ada wants to call one.echo',
    'Arguments: {"text":"hello"}',
  ])
})

it('a client of 2025-11-25 that asks for a task gets one, which waits for the person', async () => {
  const gateway = await aGateway()
  const client = await asAda(gateway, 'legacy', NO_QUESTIONS)
  const begin = async (text: string) => beginTask(client, { name: 'echo', arguments: { text } })
  const idOf = async (text: string) => {
    const find = async () =>
      (await waiting(gateway)).find(({ arguments: json }) => String(json).includes(text))
    await expect.poll(find, { timeout: 20_000 }).toBeDefined()
    return String((await find())?.['id'])
  }
  const [taskId, denied, cancelled] = [
    await begin('approved'),
    await begin('denied'),
    await begin('cancelled'),
  ]
  const before = await callsOf(client)
  await approvals(gateway, 'approve', await idOf('approved'))
  expect(textOf(await client.request('tasks/result', { taskId }))).toBe('approved')
  await approvals(gateway, 'deny', await idOf('denied'), '--reason', 'not today')
  const why = await refusal(client.request('tasks/result', { taskId: denied }))
  expect(why.message).toContain('not today')
  const id = await idOf('cancelled')
  await client.request('tasks/cancel', { taskId: cancelled })
  await approvals(gateway, 'approve', id)
  expect(await callsOf(client), 'the cancelled call was not made').toBe(before + 2)
})

it('calls of a script, resources and prompts are asked about as well', async () => {
  const gateway = await openGateway({
    servers: { one: stdioUpstream() },
    rules: {
      agents: { ada: { allow: { servers: ['*'], scripts: true }, ask: { servers: ['one'] } } },
    },
    settings: { approvals: { waitMs: 200 } },
  })
  const client = await asAda(gateway, 'legacy', NO_QUESTIONS)
  const script = 'return await tools.one.echo({ text: "hi" })'
  const ran = await call(client, 'run_script', { code: script })
  expect(textOf(ran)).toContain('APPROVAL_PENDING')
  const error = await refusal(client.request('resources/read', { uri: 'test://text' }))
  expect(error.message).toContain('APPROVAL_PENDING')
  const prompt = await refusal(
    client.request('prompts/get', { name: 'greet', arguments: { name: 'x' } }),
  )
  expect(prompt.message).toContain('APPROVAL_PENDING')
  expect(await waiting(gateway)).toHaveLength(3)
})

it('a question that nobody answers is a denial', async () => {
  const gateway = await aGateway({ waitMs: 20_000, expireMs: 500 })
  const client = await asAda(gateway, 'legacy', NO_QUESTIONS)
  expect(textOf(await echo(client))).toContain('Nobody answered')
  expect(await waiting(gateway)).toEqual([])
})

it('the key of an agent approves nothing', async () => {
  const gateway = await aGateway()
  const client = await asAda(gateway, 'legacy', NO_QUESTIONS)
  await echo(client)
  const [{ id } = {}] = await waiting(gateway)
  const key = (await runCli(gateway.folder, ['keys', 'create', 'ada'])).stdout.trim()
  const said = await runCli(gateway.folder, ['approvals', 'approve', String(id)], {
    PORTOLAN_KEY: key,
  })
  expect(said.stderr).toContain("PORTOLAN_KEY is the key of agent 'ada'")
  expect(await waiting(gateway)).toHaveLength(1)
})

it('a script is asked about once for all calls that it plans, and again for what depends on a result', async () => {
  const gateway = await openGateway({
    servers: { one: stdioUpstream() },
    rules: {
      agents: {
        ada: { allow: { servers: ['*'], scripts: true }, ask: { tools: { one: ['echo'] } } },
      },
    },
    settings: { approvals: { waitMs: 200 } },
  })
  const client = await asAda(gateway, 'legacy', NO_QUESTIONS)
  const code = `const one = await tools.one.echo({ text: 'first' })
await tools.one.echo({ text: 'second' })
await tools.one.echo({ text: 'second' })
return one.length < 10 ? await tools.one.echo({ text: 'after ' + one }) : one`
  const run = async () => textOf(await call(client, 'run_script', { code }))
  expect(await run()).toContain('APPROVAL_PENDING')
  const before = await callsOf(client)
  const asked = await waiting(gateway)
  expect(asked).toMatchObject([{ tool: 'a script with 3 calls' }])
  expect(String(asked[0]?.['arguments'])).toContain('"text":"second"')
  await approvals(gateway, 'approve', String(asked[0]?.['id']))
  expect(textOf(await echo(client, 'third')), 'nothing else').toContain('APPROVAL_PENDING')

  expect(await run(), 'the last call needs the result of the first').toContain('APPROVAL_PENDING')
  const later = (await waiting(gateway)).filter(({ tool }) => tool === 'echo')
  expect(later.map(({ arguments: json }) => json)).toContain('{"text":"after first"}')
  expect(await callsOf(client), 'three calls, and those of this test').toBe(before + 4)

  expect(await run(), 'what was approved was used up').toContain('APPROVAL_PENDING')
  const [again] = (await waiting(gateway)).filter(({ tool }) => tool !== 'echo')
  await approvals(gateway, 'deny', String(again?.['id']), '--reason', 'one was enough')
  expect(await run()).toContain('one was enough')
  expect(await callsOf(client)).toBe(before + 5)
})
