import { createRequire } from 'node:module'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { auditOf } from '../support/audit-of.ts'
import { call, execute, refusal, structured, textOf, toolNames } from '../support/clients/talk.ts'
import type { Session } from '../support/clients/session.ts'
import { openSse, openWebSocket } from '../support/clients/wires.ts'
import { aSpec } from '../support/a-spec.ts'
import { petPaths } from '../support/an-api.ts'
import { sendJson, serveHttp } from '../support/http-server.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { tempFolder } from '../support/temp-folder.ts'

const resolve = createRequire(import.meta.url).resolve
const PATIENT = { timeout: 20_000 }

/** A server of somebody else's, as it stands in `.mcp.json`. */
function published(name: string, ...args: string[]) {
  const main = resolve(`@modelcontextprotocol/${name}/dist/index.js`)
  return { command: process.execPath, args: [main, ...args] }
}

const OVERRIDES = {
  everything: {
    echo: {
      name: 'say',
      title: 'Say it',
      description: 'Says a text.',
      effect: 'read',
      parameters: { message: { name: 'text', description: 'What to say', default: 'hi' } },
      examples: [{ text: 'hello' }],
    },
    'get-sum': { parameters: { b: { fixed: 40 } } },
    'trigger-*': { hidden: true },
  },
  files: {
    '*': { hidden: true },
    read_text_file: { name: 'read_notes', hidden: false },
    move_file: { hidden: false, effect: 'delete' },
  },
  memory: {
    create_entities: { name: 'remember', description: 'Remembers things.' },
    'delete_*': { hidden: true },
  },
} as const

const RULES = {
  agents: {
    ada: { allow: { servers: ['*'], scripts: true } },
    bob: {
      allow: { servers: ['*'] },
      // Rules speak of the names and values that servers know.
      deny: {
        tools: {
          memory: ['create_entities'],
          everything: [{ tool: 'get-sum', when: { properties: { b: { const: 40 } } } }],
        },
        effects: ['delete'],
      },
    },
  },
}

let gateway: Opened
let asked: string[]
let root: string

beforeAll(async () => {
  const undo: (() => void | Promise<void>)[] = []
  const later = (step: () => void | Promise<void>) => void undo.unshift(step)
  const folder = tempFolder(later)
  folder.write('notes.txt', 'noted')
  root = folder.path
  asked = []
  const api = await serveHttp((request, response) => {
    asked.push(`${request.url.pathname}${request.url.search}`)
    sendJson(response, { pet: 'Rex' })
  })
  later(async () => api[Symbol.asyncDispose]())
  const spec = folder.write('spec.json', aSpec(petPaths))
  gateway = await openGateway({
    later,
    servers: {
      everything: {
        ...published('server-everything'),
        instructions: 'Say things.',
        tools: OVERRIDES.everything,
      },
      files: { ...published('server-filesystem', root), tools: OVERRIDES.files },
      memory: {
        ...published('server-memory'),
        env: { MEMORY_FILE_PATH: folder.file('memory.jsonl') },
        tools: OVERRIDES.memory,
      },
      pets: {
        openapi: spec,
        baseUrl: api.url,
        allowPrivate: true,
        tools: {
          getPet: {
            name: 'look_at',
            parameters: { id: { fixed: '7' }, page: { name: 'leaf', default: 2 } },
          },
          'feed*': { hidden: true },
        },
      },
    },
    rules: RULES,
  })
  const client = await gateway.connect({ headers: ADA })
  await vi.waitFor(async () => {
    const names = await toolNames(client)
    if (!names.includes('memory__remember')) throw new Error('not listed yet')
  }, PATIENT)
  return async () => {
    for (const step of undo) await step()
  }
})

const ADA = { 'x-agent-id': 'ada' }
const BOB = { 'x-agent-id': 'bob' }

const WAYS: Readonly<Record<string, () => Promise<Session>>> = {
  'HTTP legacy': async () => gateway.connect({ headers: ADA }),
  'HTTP modern': async () => gateway.connect({ headers: ADA, era: 'modern' }),
  SSE: async () => openSse(`${gateway.url}/sse?surface=direct`, ADA),
  WebSocket: async () =>
    openWebSocket(`${gateway.url.replace('http', 'ws')}/ws?surface=direct`, ADA),
}

const toolOf = async (client: Session, name: string): Promise<JsonObject> => {
  const { tools } = await client.request('tools/list')
  const found = Array.isArray(tools) ? tools.find((tool) => tool.name === name) : undefined
  return Object(found)
}

describe.each(Object.entries(WAYS))('over %s', (_, open) => {
  it('agents see the tools as the entries say', async () => {
    const client = await open()
    const names = await toolNames(client)
    expect(names).toEqual(
      expect.arrayContaining([
        'everything__say',
        'everything__get-sum',
        'files__read_notes',
        'files__move_file',
        'memory__remember',
        'memory__search_nodes',
        'pets__look_at',
      ]),
    )
    expect(names.filter((name) => /trigger|echo|delete|create_ent|write|feed/.test(name))).toEqual(
      [],
    )
    expect(names.filter((name) => name.startsWith('files'))).toHaveLength(2)
    expect(await toolOf(client, 'everything__say')).toMatchObject({
      title: 'Say it',
      description: 'Says a text.',
      annotations: { readOnlyHint: true },
      inputSchema: {
        properties: { text: { type: 'string', description: 'What to say', default: 'hi' } },
        required: [],
        examples: [{ text: 'hello' }],
      },
    })
    const sum = await toolOf(client, 'everything__get-sum')
    expect(sum['inputSchema']).toMatchObject({ required: ['a'] })
    expect(JSON.stringify(sum)).not.toContain('"b"')
    expect(await toolOf(client, 'files__move_file')).toMatchObject({
      annotations: { readOnlyHint: false, destructiveHint: true },
    })
  })

  it('calls reach the tool with the values that the entry gives', async () => {
    const client = await open()
    expect(textOf(await call(client, 'everything__say', { text: 'hello' }))).toBe('Echo: hello')
    expect(textOf(await call(client, 'everything__say'))).toBe('Echo: hi')
    expect(textOf(await call(client, 'everything__get-sum', { a: 2 }))).toContain('42')
    // Whatever the caller says.
    expect(textOf(await call(client, 'everything__get-sum', { a: 2, b: 1 }))).toContain('42')
    // Texts of the server speak of its own names.
    expect(textOf(await call(client, 'everything__echo', { message: 'own' }))).toBe('Echo: own')
    const path = `${root}/notes.txt`
    expect(textOf(await call(client, 'files__read_notes', { path }))).toBe('noted')
    asked.length = 0
    await call(client, 'pets__look_at', { leaf: 3 })
    await call(client, 'pets__look_at', { id: '9' })
    expect(asked).toEqual(['/pets/7?page=3', '/pets/7?page=2'])
  })

  it('what is hidden cannot be called', async () => {
    const client = await open()
    for (const name of ['memory__delete_entities', 'files__write_file', 'pets__feedPet']) {
      const { message } = await refusal(call(client, name, {}))
      expect(message).toContain('Unknown tool')
    }
  })
})

it('the discovery tools and scripts know the same names', async () => {
  const client = await gateway.connect({ headers: ADA, query: 'surface=discover' })
  const found = structured(await call(client, 'find_tools', { query: 'remember things' }))
  expect(JSON.stringify(found)).toContain('remember(')
  expect(JSON.stringify(found)).not.toContain('create_entities')
  const of = structured(await call(client, 'get_server_tools', { server: 'files' }))
  expect(of).toMatchObject({ tools: [{ name: 'read_notes' }, { name: 'move_file' }] })
  const listed = JSON.stringify(await call(client, 'list_servers'))
  expect(listed).toContain('2 tools: read_notes, move_file')
  const said = await execute(client, 'everything', 'say', { text: 'x' })
  expect(textOf(said)).toBe('Echo: x')
  const code = `
    const described = await describe('everything.say')
    const said = await tools.everything.say({ text: 'from a script' })
    described + said`
  const { result } = structured(await call(client, 'run_script', { code }))
  expect(result).toContain('tools.everything.say(args: { text?: string')
  expect(result).toContain('Echo: from a script')
  const wrong = await execute(client, 'memory', 'rember', {})
  expect(JSON.stringify(wrong)).toContain('remember')
})

it('rules speak of the names and values of the servers, and so does the audit', async () => {
  const client = await gateway.connect({ headers: BOB })
  const names = await toolNames(client)
  expect(names).not.toContain('memory__remember')
  expect(names).not.toContain('files__move_file')
  const entity = { entities: [] }
  const denied = await call(client, 'memory__remember', entity)
  expect(JSON.stringify(denied)).toContain('DENIED_BY_POLICY')
  // The condition on the fixed value holds, though the caller has not given it.
  const fixed = await call(client, 'everything__get-sum', { a: 1, b: 1 })
  expect(JSON.stringify(fixed)).toContain('DENIED_BY_POLICY')
  await call(await gateway.connect({ headers: ADA }), 'everything__say', { text: 'recorded' })
  await expect
    .poll(() => auditOf(gateway).map(({ metadata }) => metadata), PATIENT)
    .toContainEqual(
      expect.objectContaining({ server: 'everything', tool: 'echo', shown_as: 'say' }),
    )
})

it('instructions of a server are those of its entry', async () => {
  const client = await gateway.connect({ headers: ADA, era: 'modern' })
  const { instructions } = await client.request('server/discover')
  expect(instructions).toContain('# everything\nSay things.')
})
