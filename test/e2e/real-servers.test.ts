import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it } from 'vitest'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, execute, textOf, toolNames } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { tempFolder } from '../support/temp-folder.ts'

const PATIENT = { timeout: 20_000 }
const resolve = createRequire(import.meta.url).resolve

/** A server of somebody else's, as it stands in `.mcp.json`. */
function published(name: string, ...args: string[]) {
  const main = resolve(`@modelcontextprotocol/${name}/dist/index.js`)
  return { command: process.execPath, args: [main, ...args] }
}

const allowed = async (of: RawClient) => textOf(await call(of, 'list_allowed_directories'))

describe('the official servers behind the gateway', () => {
  it('of everything: tools, prompts, resources, progress, sampling and elicitation', async () => {
    const { connect } = await openGateway({
      servers: { everything: published('server-everything') },
    })
    const client = await connect()
    await expect
      .poll(async () => toolNames(client))
      .toEqual(expect.arrayContaining(['echo', 'get-sum']))
    expect(textOf(await call(client, 'echo', { message: 'hello' }))).toBe('Echo: hello')
    expect(textOf(await call(client, 'get-sum', { a: 2, b: 3 }))).toContain('5')
    expect(await call(client, 'get-tiny-image')).toMatchObject({
      content: expect.arrayContaining([expect.objectContaining({ type: 'image' })]),
    })
    const bad = await call(client, 'get-sum', { a: 'two' })
    expect(bad).toMatchObject({ isError: true })

    const progress: unknown[] = []
    const long = { name: 'trigger-long-running-operation', arguments: { duration: 0.4, steps: 4 } }
    await client.request('tools/call', long, { onProgress: (update) => progress.push(update) })
    expect(progress).toHaveLength(4)

    const { prompts } = await client.request('prompts/list')
    expect(prompts).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'simple-prompt' })]),
    )
    const prompt = await client.request('prompts/get', { name: 'simple-prompt' })
    expect(prompt).toHaveProperty('messages')
    const { resources } = await client.request('resources/list')
    const [first]: { uri: string }[] = Array.isArray(resources) ? resources : []
    const read = await client.request('resources/read', { uri: first?.uri })
    expect(read).toMatchObject({ contents: [{ uri: first?.uri }] })

    const asked = await call(client, 'trigger-sampling-request', { prompt: 'Say it' })
    expect(JSON.stringify(asked)).toContain('sampled')
    const modern = await connect({ era: 'modern' })
    const elicited = await call(modern, 'trigger-sampling-request', { prompt: 'Say it' })
    expect(JSON.stringify(elicited)).toContain('sampled')
  })

  it('of files: reads and writes below its folder, by the rules', async () => {
    const root = tempFolder()
    root.write('hello.txt', 'hello from disk')
    const { connect } = await openGateway({
      servers: { files: published('server-filesystem', root.path) },
      rules: {
        agents: {
          reader: { allow: { servers: ['files'], tools: { files: ['read_*', 'list_*'] } } },
          writer: { allow: { servers: ['files'] } },
        },
      },
    })
    const reader = await connect({ headers: { 'x-agent-id': 'reader' } })
    const writer = await connect({ headers: { 'x-agent-id': 'writer' } })
    const path = root.file('hello.txt')
    expect(await toolNames(reader)).not.toContain('write_file')
    expect(textOf(await call(reader, 'read_text_file', { path }))).toBe('hello from disk')
    const wish = { path: root.file('new.txt'), content: 'written' }
    // The tool promises an output schema, which an error does not match.
    expect(await call(reader, 'write_file', wish)).toMatchObject({
      _meta: { 'portolan/error': { code: 'DENIED_BY_POLICY' } },
    })
    await call(writer, 'write_file', wish)
    expect(root.read('new.txt')).toBe('written')
    const outside = await call(writer, 'read_text_file', { path: '/etc/hostname' })
    expect(outside).toMatchObject({ isError: true })
  })

  it('of files: follows the roots of each client, also when they change', async () => {
    const folders = tempFolder()
    for (const name of ['one', 'two', 'other']) folders.write(`${name}/file.txt`, name)
    const { connect } = await openGateway({ servers: { files: published('server-filesystem') } })
    const client = await connect()
    const other = await connect()
    const rootIn = (name: string) => ({
      roots: [{ uri: pathToFileURL(folders.file(name)).href }],
    })
    client.answers['roots/list'] = rootIn('one')
    other.answers['roots/list'] = rootIn('other')
    await expect.poll(async () => allowed(client), PATIENT).toContain(folders.file('one'))
    await expect.poll(async () => allowed(other), PATIENT).toContain(folders.file('other'))
    client.answers['roots/list'] = rootIn('two')
    const before = client.asked.length
    client.notify('notifications/roots/list_changed')
    // No call is in flight when the server asks.
    await expect.poll(() => client.asked.length, PATIENT).toBeGreaterThan(before)
    await expect.poll(async () => allowed(client), PATIENT).toContain(folders.file('two'))
    expect(await allowed(other)).toContain(folders.file('other'))
  })

  it('of memory: what one agent notes, another finds', async () => {
    const folder = tempFolder()
    const env = { MEMORY_FILE_PATH: folder.file('memory.jsonl') }
    const { connect } = await openGateway({
      servers: { memory: { ...published('server-memory'), env } },
    })
    const client = await connect({ query: '' })
    const entity = { name: 'Portolan', entityType: 'product', observations: ['is a chart'] }
    await execute(client, 'memory', 'create_entities', { entities: [entity] })
    const other = await connect({ era: 'modern', query: '' })
    const found = await execute(other, 'memory', 'search_nodes', { query: 'chart' })
    expect(textOf(found)).toContain('Portolan')
    expect(folder.read('memory.jsonl')).toContain('is a chart')
  })

  it('of memory: an error of the gateway reaches a client that checks what a tool promised', async () => {
    const env = { MEMORY_FILE_PATH: tempFolder().file('memory.jsonl') }
    const { url } = await openGateway({
      servers: { memory: { ...published('server-memory'), env } },
    })
    const client = new Client({ name: 'strict', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp?surface=direct`)))
    // It checks results only of tools that it has listed.
    const { tools } = await client.listTools()
    const search = tools.find(({ name }) => name === 'search_nodes')
    expect(search?.outputSchema).toMatchObject({ required: ['entities', 'relations'] })
    const find = async (args: Record<string, unknown>) =>
      client.callTool({ name: 'search_nodes', arguments: args })
    expect(await find({ qurey: 'chart' })).toEqual({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('did you mean query') }],
      _meta: { 'portolan/error': expect.objectContaining({ code: 'INVALID_PARAMS' }) },
    })
    expect(await find({ query: 'chart' })).toMatchObject({ structuredContent: { entities: [] } })
    await client.close()
  })
})
