import { beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { call, execute, refusal, structured, textOf, toolNames } from '../support/clients/talk.ts'
import type { Session } from '../support/clients/session.ts'
import { openHttp, openSse, openStdio, openWebSocket } from '../support/clients/wires.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { sharedHome } from '../support/shared-home.ts'
import { stdioUpstream } from '../support/start.ts'

const POLL = { timeout: 30_000, interval: 200 }

const SETTINGS = {
  toolsets: {
    frontend: {
      tools: ['notes.ec*', 'files.big', 'files.slow'],
      instructions: 'For work on pages.',
      surface: 'direct',
      budget: 400,
    },
    back: { tools: ['files.*'], defaultFor: ['grace', 'cooks'] },
  },
}

const RULES = {
  agents: {
    ada: { allow: { servers: ['*'], scripts: true } },
    bob: { allow: { servers: ['notes'] } },
    grace: { allow: { servers: ['*'] } },
  },
  groups: { cooks: { match: { agent: 'cook-*' }, allow: { servers: ['*'] } } },
}

const SERVERS = { notes: stdioUpstream(), files: stdioUpstream() }

let gateway: Opened
beforeAll(async () => {
  const undo: (() => void | Promise<void>)[] = []
  const later = (step: () => void | Promise<void>) => void undo.unshift(step)
  gateway = await openGateway({ servers: SERVERS, rules: RULES, settings: SETTINGS, later })
  return async () => {
    for (const step of undo) await step()
  }
})

const as = (agent: string) => ({ 'x-agent-id': agent })
const ws = () => gateway.url.replace('http', 'ws')

async function overStdio(): Promise<Session> {
  const { folder } = gateway
  const env = gatewayEnv(folder, { PORTOLAN_HOME: folder.file('alone') })
  // On stdio without a credential, the caller is the default agent.
  folder.write('open-rules.json', {
    agents: { default: { allow: { servers: ['*'] } } },
    defaults: { deny_on_missing_agent: false },
  })
  return openStdio('legacy', {
    command: process.execPath,
    args: [MAIN, '--toolset', 'frontend'],
    cwd: folder.path,
    env: { ...env, PORTOLAN_RULES: folder.file('open-rules.json') },
  })
}

const WAYS: Readonly<Record<string, (agent: string) => Promise<Session>>> = {
  'HTTP legacy': async (agent) => openHttp('legacy', `${gateway.url}/mcp/frontend`, as(agent)),
  'HTTP modern': async (agent) => openHttp('modern', `${gateway.url}/mcp/frontend`, as(agent)),
  'a query': async (agent) => openHttp('legacy', `${gateway.url}/mcp?toolset=frontend`, as(agent)),
  SSE: async (agent) => openSse(`${gateway.url}/sse/frontend`, as(agent)),
  WebSocket: async (agent) => openWebSocket(`${ws()}/ws/frontend`, as(agent)),
  'WebSocket at the endpoint': async (agent) => openWebSocket(`${ws()}/mcp/frontend`, as(agent)),
  stdio: overStdio,
}

describe.each(Object.entries(WAYS))('over %s', (_, open) => {
  it('a toolset shows and allows its tools, and no others', async () => {
    const client = await open('ada')
    await expect
      .poll(async () => toolNames(client), POLL)
      .toEqual(['notes__echo', 'files__slow', 'files__big', 'read_result'])
    expect(textOf(await call(client, 'notes__echo', { text: 'hello' }))).toBe('hello')
    const denied = await call(client, 'files__echo', { text: 'hello' })
    expect(JSON.stringify(denied)).toContain('DENIED_BY_POLICY')
    expect(JSON.stringify(denied)).toContain('toolsets.frontend')
    await client.close()
  })
})

async function connect(agent: string, path: string, era: 'legacy' | 'modern' = 'legacy') {
  return openHttp(era, `${gateway.url}${path}`, as(agent))
}

it('a toolset never widens what rules allow', async () => {
  const client = await connect('bob', '/mcp/frontend')
  await expect.poll(async () => toolNames(client), POLL).toContain('notes__echo')
  expect(await toolNames(client)).not.toContain('files__big')
  expect(JSON.stringify(await call(client, 'files__big', {}))).toContain('DENIED_BY_POLICY')
})

it('discovery, scripts and sub-agents stay in the toolset', async () => {
  const client = await connect('ada', '/mcp/frontend?surface=discover')
  const found = structured(await call(client, 'find_tools', { query: 'gives back its text' }))
  expect(JSON.stringify(found)).toContain('"notes"')
  expect(JSON.stringify(found)).not.toContain('"files","call":"echo')
  const code = `
    const fine = await tools.notes.echo({ text: 'inside' })
    const other = await tools.files.echo({ text: 'outside' }).catch((error) => error.message)
    fine + ' ' + other`
  const { result } = structured(await call(client, 'run_script', { code }))
  expect(result).toContain('inside')
  expect(result).toContain('not authorized')
})

it('says what it is for, shortens to its budget, and shows its surface', async () => {
  const client = await connect('ada', '/mcp/frontend', 'modern')
  const { instructions } = await client.request('server/discover')
  expect(instructions).toMatch(/^For work on pages\.\n\n/)
  const big = await call(client, 'files__big', { count: 2_000 })
  expect(JSON.stringify(big).length).toBeLessThan(4_000)
})

const allowed = async (agent: string, path: string, server: string) => {
  const client = await connect(agent, path)
  return textOf(await execute(client, server, 'echo', { text: 'ok' }))
}

it('agents and groups have a default, which asking for another replaces', async () => {
  for (const agent of ['grace', 'cook-1']) {
    expect(await allowed(agent, '/mcp', 'files')).toBe('ok')
    expect(await allowed(agent, '/mcp', 'notes')).toContain("cannot access server 'notes'")
    expect(await allowed(agent, '/mcp/frontend', 'notes')).toBe('ok')
  }
  expect(await allowed('ada', '/mcp', 'notes')).toBe('ok')
})

it('an unknown toolset is refused with the nearest name, everywhere', async () => {
  const post = (path: string) => fetch(`${gateway.url}${path}`, { method: 'POST' })
  for (const path of ['/mcp/fronted', '/mcp/?toolset=fronted', '/sse/fronted']) {
    const response = await (path.startsWith('/sse') ? fetch(`${gateway.url}${path}`) : post(path))
    expect(response.status).toBe(404)
    expect(await response.text()).toContain("no toolset 'fronted'. Did you mean 'frontend'?")
  }
  await expect(openWebSocket(`${ws()}/ws/fronted`, as('ada'))).rejects.toThrow(/404/)
  const alone = await runBuilt(gateway.folder, ['--toolset', 'fronted'])
  expect(alone.code).toBe(1)
  expect(alone.stderr).toContain("Did you mean 'frontend'?")
  const print = ['connect', 'cursor', '--print', '--toolset']
  expect((await runBuilt(gateway.folder, [...print, 'fronted'])).stderr).toContain('Did you mean')
  const fine = await runBuilt(gateway.folder, [...print, 'frontend'])
  expect(fine.stdout).toMatch(/"--toolset",\s+"frontend"/)
  // Below that there is nothing else.
  expect((await post('/mcp/frontend/more')).status).toBe(404)
})

it('sessions keep their toolset when it changes, and lose everything with it', async () => {
  const own = await openGateway({ servers: SERVERS, rules: RULES, settings: SETTINGS })
  const client = await openHttp('legacy', `${own.url}/mcp/frontend`, as('ada'))
  await expect.poll(async () => toolNames(client), POLL).toContain('notes__echo')
  const socket = await openWebSocket(`${own.url.replace('http', 'ws')}/ws/frontend`, as('ada'))
  const save = (toolsets: JsonObject) => own.folder.write('portolan.yaml', { toolsets })
  save({ frontend: { tools: ['files.echo'], surface: 'direct' } })
  await expect.poll(async () => toolNames(client), POLL).toEqual(['files__echo'])
  save({ other: { tools: ['files.*'] } })
  // The server answers as for a session that has ended: its client begins another, and is told why.
  const post = async () => (await fetch(`${own.url}/mcp/frontend`, { method: 'POST' })).status
  await expect.poll(post, POLL).toBe(404)
  const { message } = await refusal(execute(socket, 'files', 'echo', { text: 'hello' }))
  expect(message).toContain("There is no toolset 'frontend'")
})

it('the bridge of a client says which toolset it stands for', async () => {
  const home = sharedHome(SERVERS, SETTINGS)
  const client = await home.open({ args: ['--toolset', 'frontend'] })
  const other = await home.open()
  await expect.poll(async () => toolNames(client), POLL).toContain('notes__echo')
  expect(await toolNames(client)).not.toContain('files__echo')
  expect(textOf(await call(other, 'files__echo', { text: 'all' }))).toBe('all')
  expect(JSON.stringify(await call(client, 'files__echo', {}))).toContain('toolsets.frontend')
})

it('suggests one from what an agent really used', async () => {
  const client = await connect('bob', '/mcp')
  await execute(client, 'notes', 'echo', { text: 'a' })
  await execute(client, 'notes', 'echo', { text: 'b' })
  await execute(client, 'notes', 'whoami')
  await expect
    .poll(
      async () =>
        (await runBuilt(gateway.folder, ['toolsets', 'suggest', '--agent', 'bob'])).stdout,
      POLL,
    )
    .toBe('toolsets:\n  bob:\n    tools:\n      - notes.echo\n      - notes.whoami\n')
  const listed = await runBuilt(gateway.folder, ['toolsets'])
  expect(listed.stdout).toMatch(/frontend +3 tools +\/mcp\/frontend/)
  expect(listed.stdout).toMatch(/back +\d+ tools +\/mcp\/back +for grace, cooks/)
})
