import { beforeAll, describe, expect, it } from 'vitest'
import { countTokens } from '../../src/shaping/tokens.ts'
import { call, execute, refusal, structured, textOf, valueOf } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

let gateway: Opened

beforeAll(async () => {
  const undo: (() => void | Promise<void>)[] = []
  gateway = await openGateway({
    servers: {
      a: stdioUpstream('--name', 'I am a'),
      b: stdioUpstream('--name', 'I am b', '--resources', '2500'),
    },
    rules: {
      agents: {
        all: { allow: { servers: ['*'] } },
        some: { allow: { servers: ['a'] } },
      },
    },
    later: (step) => undo.unshift(step),
  })
  return async () => {
    for (const step of undo) await step()
  }
})

const connect = async (era: 'legacy' | 'modern', agent = 'all') =>
  gateway.connect({ era, query: '', headers: { 'x-agent-id': agent } })

describe.each(['legacy', 'modern'] as const)('on the discover surface, in the %s era', (era) => {
  it('resources and prompts are found beside tools, which keep their places', async () => {
    const client = await connect(era)
    const found = valueOf(await call(client, 'find_tools', { query: 'the name of the server' }))
    expect(found['also']).toEqual([
      {
        kind: 'resource',
        server: 'a',
        call: 'resources/read(uri: "test://a+who")',
        about: 'The name of the server',
      },
      expect.objectContaining({ server: 'b', call: 'resources/read(uri: "test://b+who")' }),
    ])
    const greets = valueOf(await call(client, 'find_tools', { query: 'greets', servers: ['a'] }))
    expect(greets['also']).toMatchObject([
      { kind: 'prompt', call: 'prompts/get(name: "greet", arguments: {name})' },
    ])
    const some = await connect(era, 'some')
    const fewer = valueOf(await call(some, 'find_tools', { query: 'the name of the server' }))
    expect(fewer['also']).toMatchObject([{ server: 'a' }])
    const none = valueOf(await call(client, 'find_tools', { query: 'gives back its text' }))
    expect(none['tools']).not.toEqual([])
    expect(none).not.toHaveProperty('also')
  })

  it('they are read with execute_tool, from the server that is named', async () => {
    const client = await connect(era)
    const read = async (server: string, uri: string) =>
      execute(client, server, 'resources/read', { uri })
    expect(textOf(await read('a', 'test://a+who'))).toBe('I am a')
    expect(textOf(await read('b', 'test://who'))).toBe('I am b')
    expect(structured(await read('b', 'test://a+who'))).toMatchObject({
      error: { code: 'INVALID_PARAMS' },
    })
    const args = { name: 'greet', arguments: { name: 'Ada' } }
    for (const name of ['greet', 'b__greet'])
      expect(textOf(await execute(client, 'b', 'prompts/get', { ...args, name }))).toBe('Greet Ada')
    expect(structured(await execute(client, 'b', 'prompts/get'))).toMatchObject({
      error: { code: 'INVALID_PARAMS' },
    })
    const some = await connect(era, 'some')
    const uri = 'test://b+who'
    expect(structured(await execute(some, 'b', 'resources/read', { uri }))).toMatchObject({
      error: { code: 'DENIED_BY_POLICY' },
    })
  })

  it('a long one is shortened to what was asked for, and read on by its handle', async () => {
    const client = await connect(era)
    const short = await call(client, 'execute_tool', {
      server: 'b',
      tool: 'resources/read',
      args: { uri: 'test://b+long' },
      max_tokens: 200,
    })
    const text = textOf(short)
    expect(countTokens(text)).toBeLessThanOrEqual(200)
    const handle = /"([\w-]{8,})"/.exec(JSON.stringify(short['_meta']))?.[1]
    const rest = await call(client, 'read_result', { handle, grep: 'line 4999' })
    expect(JSON.stringify(rest)).toContain('line 4999')
  })

  it('the standard lists have pages', async () => {
    const client = await connect(era)
    const uris: unknown[] = []
    let cursor: unknown
    let pages = 0
    do {
      const page = await client.request('resources/list', cursor === undefined ? {} : { cursor })
      uris.push(...(Array.isArray(page['resources']) ? page['resources'] : []))
      cursor = page['nextCursor']
      pages += 1
    } while (cursor !== undefined)
    expect(pages).toBe(3)
    expect(new Set(uris.map((one) => Object(one)['uri'])).size).toBe(2500 + 4 + 4)
    expect(await refusal(client.request('resources/list', { cursor: 'no' }))).toMatchObject({
      code: -32_602,
    })
  })
})
