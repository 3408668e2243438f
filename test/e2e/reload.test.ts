import { describe, expect, it } from 'vitest'
import type { Session } from '../support/clients/session.ts'
import {
  call,
  callUntilProgress,
  execute,
  structured,
  textOf,
  toolNames,
  valueOf,
} from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

const ONE = { one: stdioUpstream() }
const OPEN = { agents: { ada: { allow: { servers: ['*'] } } } }
const CLOSED = {
  agents: { ada: { allow: { servers: ['*'] }, deny: { tools: { one: ['echo'] } } } },
}

async function open(wanted: Partial<Parameters<typeof openGateway>[0]> = {}) {
  const gateway = await openGateway({ servers: ONE, rules: OPEN, ...wanted })
  const client = await gateway.connect({ headers: { 'x-agent-id': 'ada' }, query: '' })
  return { gateway, client }
}

async function serversOf(client: Session): Promise<unknown[]> {
  const { list } = valueOf(await call(client, 'list_servers'))
  return Array.isArray(list) ? list.map(({ name }: { name: string }) => name) : []
}

async function reloads(client: Session) {
  return valueOf(await call(client, 'get_gateway_status'))['reload_status']
}

/** How long until a change shows; asked often, so that the answer is true to a few milliseconds. */
async function untilMs(shows: () => Promise<boolean>): Promise<number> {
  const begun = performance.now()
  while (!(await shows())) {
    if (performance.now() - begun > 10_000) throw new Error('it never showed')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return performance.now() - begun
}

describe('a change shows soon', () => {
  it('of the servers', async () => {
    const { gateway, client } = await open()
    const before = await serversOf(client)
    const name = `server${before.length}`
    const known = Object.fromEntries(before.map((one) => [one, stdioUpstream()]))
    gateway.folder.write('.mcp.json', { mcpServers: { ...known, [name]: stdioUpstream() } })
    const ms = await untilMs(async () => (await serversOf(client)).includes(name))
    expect(ms).toBeLessThan(10_000)
  })

  it('of the rules', async () => {
    const { gateway, client } = await open()
    const isDenied = async () => (await execute(client, 'one', 'echo'))['isError'] === true
    expect(await isDenied()).toBe(false)
    gateway.folder.write('.mcp-gateway-rules.json', CLOSED)
    const ms = await untilMs(isDenied)
    expect(ms).toBeLessThan(10_000)
  })

  it('of the settings', async () => {
    const { gateway, client } = await open({ settings: {} })
    const plain = (await toolNames(client)).length
    gateway.folder.write('portolan.yaml', { pins: ['one.echo'] })
    const ms = await untilMs(async () => (await toolNames(client)).length === plain + 1)
    expect(ms).toBeLessThan(10_000)
  })
})

describe('a bad file', () => {
  it.each([
    ['.mcp.json', 'mcp_config', '{"mcpServers": {"one": {}}}', 'must specify either "command"'],
    ['.mcp-gateway-rules.json', 'gateway_rules', '{"agents": {"ada": {"alow": {}}}}', 'alow'],
    ['portolan.yaml', 'settings', 'surfaces: direct', 'surface'],
    ['.mcp.json', 'mcp_config', '{"mcpServers": ', ''],
  ])('%s keeps its old content and is reported (%s)', async (file, part, content, problem) => {
    const { gateway, client } = await open({ settings: {} })
    gateway.folder.write(file, content)
    await expect
      .poll(async () => reloads(client))
      .toMatchObject({ [part]: { last_error: expect.stringContaining(problem), success_count: 0 } })
    expect(textOf(await execute(client, 'one', 'echo', { text: 'still' }))).toBe('still')
    const status = valueOf(await call(client, 'get_gateway_status'))
    expect(status['message']).toContain('The last reload found mistakes')
    expect(gateway.log()).toContain(file)
  })

  it('does not hold up a good one, and is well once mended', async () => {
    const { gateway, client } = await open()
    gateway.folder.write('.mcp-gateway-rules.json', '{')
    gateway.folder.write('.mcp.json', { mcpServers: { ...ONE, two: stdioUpstream() } })
    await expect.poll(async () => serversOf(client)).toEqual(['one', 'two'])
    gateway.folder.write('.mcp-gateway-rules.json', CLOSED)
    await expect
      .poll(async () => reloads(client))
      .toMatchObject({ gateway_rules: { last_error: null } })
    expect(structured(await execute(client, 'one', 'echo'))).toMatchObject({
      error: { code: 'DENIED_BY_POLICY' },
    })
  })
})

it('takes the stored results of a tool from an agent that may no longer use it', async () => {
  const { gateway, client } = await open()
  const rows = Array.from({ length: 300 }, (_, id) => ({ id, name: `row number ${id}` }))
  const args = { text: JSON.stringify({ rows }) }
  const asked = { server: 'one', tool: 'echo', args, max_tokens: 300 }
  const { _handle: handle } = JSON.parse(textOf(await call(client, 'execute_tool', asked)))
  const read = async () => call(client, 'read_result', { handle, select: 'length(rows)' })
  expect(valueOf(await read())).toMatchObject({ data: 300 })
  gateway.folder.write('.mcp-gateway-rules.json', CLOSED)
  await expect
    .poll(async () => structured(await read()))
    .toMatchObject({
      error: { code: 'RESULT_GONE' },
    })
  gateway.folder.write('.mcp-gateway-rules.json', OPEN)
  await expect.poll(async () => valueOf(await read())).toMatchObject({ data: 300 })
})

it('lets calls in flight finish under the rules they began with', async () => {
  const { gateway, client } = await open()
  await execute(client, 'one', 'echo')
  const running = await callUntilProgress(client, 'execute_tool', {
    server: 'one',
    tool: 'slow',
    args: { ms: 3000, steps: 30 },
  })
  gateway.folder.write('.mcp-gateway-rules.json', { agents: { ada: {} } })
  await expect.poll(async () => serversOf(client)).toEqual([])
  expect(textOf(await running.result)).toBe('slept 3000 ms')
})

it('keeps the slots of a server that are taken', async () => {
  const servers = { one: { ...stdioUpstream(), max_concurrency: 1 } }
  const { gateway, client } = await open({ servers })
  await execute(client, 'one', 'echo')
  const ended: string[] = []
  const args = { ms: 3000, steps: 30 }
  const running = await callUntilProgress(client, 'execute_tool', {
    server: 'one',
    tool: 'slow',
    args,
  })
  const slow = running.result.then(() => ended.push('slow'))
  gateway.folder.write('.mcp-gateway-rules.json', { ...OPEN, defaults: {} })
  await expect
    .poll(async () => reloads(client))
    .toMatchObject({ gateway_rules: { success_count: 1 } })
  const next = execute(client, 'one', 'echo').then(() => ended.push('echo'))
  await Promise.all([slow, next])
  expect(ended).toEqual(['slow', 'echo'])
})

it('a call that waits for the start of a server whose entry changes goes to the new version', async () => {
  const slow = stdioUpstream('--slow-init', '3000')
  const { gateway, client } = await open({ servers: { one: slow } })
  const waiting = execute(client, 'one', 'whoami')
  await new Promise((resolve) => setTimeout(resolve, 500))
  const changed = { ...stdioUpstream(), env: { CHANGED: 'yes' } }
  gateway.folder.write('.mcp.json', { mcpServers: { one: changed } })
  expect(structured(await waiting)).toMatchObject({ env: { CHANGED: 'yes' } })
})

it('a call that waits for the start of a server that is removed gets an error that says so', async () => {
  const slow = stdioUpstream('--slow-init', '3000')
  const { gateway, client } = await open({ servers: { ...ONE, two: slow } })
  const waiting = execute(client, 'two', 'whoami')
  await new Promise((resolve) => setTimeout(resolve, 500))
  gateway.folder.write('.mcp.json', { mcpServers: ONE })
  expect(textOf(await waiting)).toContain('removed from the configuration')
})

it('keeps the process of a server that did not change', async () => {
  const { gateway, client } = await open()
  const pid = async () => structured(await execute(client, 'one', 'whoami'))['pid']
  const before = await pid()
  gateway.folder.write('.mcp.json', { mcpServers: { two: stdioUpstream(), ...ONE } })
  await expect.poll(async () => serversOf(client)).toEqual(['two', 'one'])
  expect(await pid()).toBe(before)
})

it('tells its clients that the tools have changed', async () => {
  const { gateway, client } = await open()
  // Nobody is told of changes before the end of the handshake, which the first request is after.
  await toolNames(client)
  gateway.folder.write('.mcp.json', { mcpServers: { ...ONE, two: stdioUpstream() } })
  await expect
    .poll(() => client.heard.map(({ method }) => method))
    .toContain('notifications/tools/list_changed')
})

it('reads everything again on SIGHUP', async () => {
  const { gateway, client } = await open()
  gateway.child.kill('SIGHUP')
  await expect
    .poll(async () => reloads(client))
    .toMatchObject({ mcp_config: { attempt_count: 1, success_count: 1, last_error: null } })
})

it('warns of rules about servers that do not exist', async () => {
  const { gateway, client } = await open()
  const rules = { agents: { ada: { allow: { servers: ['*', 'ghost'] } } } }
  gateway.folder.write('.mcp-gateway-rules.json', rules)
  await expect
    .poll(async () => reloads(client))
    .toMatchObject({
      gateway_rules: {
        last_warnings: ['Agent "ada" allow.servers references undefined server "ghost"'],
      },
    })
})

it('one server with a mistake of its own does not stop the others', async () => {
  const bad = { ...stdioUpstream(), env: { KEY: '${NOT_SET_ANYWHERE}' } }
  const { gateway, client }: { gateway: Opened; client: Session } = await open({
    servers: { ...ONE, bad },
  })
  expect(textOf(await execute(client, 'one', 'echo', { text: 'fine' }))).toBe('fine')
  expect(textOf(await execute(client, 'bad', 'echo'))).toContain('NOT_SET_ANYWHERE')
  expect(await serversOf(client)).toEqual(['one', 'bad'])
  expect(gateway.child.exitCode).toBeNull()
})
