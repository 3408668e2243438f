import { describe, expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { call, refusal, structured } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'

const ERAS = ['legacy', 'modern'] as const

/** Two servers of two eras with the same resources and prompts, which tell their own names only. */
async function twoAlike(rules?: JsonObject) {
  const flags = ['--era', 'modern', '--name', 'I am b', '--extension', 'com.example/b']
  const modern = await startHttpUpstream(...flags)
  onTestFinished(async () => modern.close())
  return openGateway({
    servers: {
      a: stdioUpstream('--name', 'I am a', '--extension', 'com.example/a'),
      b: { url: modern.url },
    },
    ...(rules && { rules }),
  })
}

const urisOf = (value: unknown) =>
  Array.isArray(value) ? value.map(({ uri }: { uri: string }) => uri) : []

describe.each(ERAS)('two servers with the same URIs, for a client of the %s era', (era) => {
  it('are never mixed, and both are reached', async () => {
    const { connect } = await twoAlike()
    const client = await connect({ era })
    const { resources } = await client.request('resources/list')
    const uris = urisOf(resources)
    expect(new Set(uris).size).toBe(uris.length)
    expect(uris).toEqual(expect.arrayContaining(['test://a+who', 'test://b+who']))
    for (const name of ['a', 'b']) {
      const uri = `test://${name}+who`
      const read = await client.request('resources/read', { uri })
      expect(read['contents']).toEqual([{ uri, text: `I am ${name}` }])
      const prompt = await client.request('prompts/get', {
        name: `${name}__greet`,
        arguments: { name: 'Ada' },
      })
      expect(prompt).toMatchObject({ server: `I am ${name}` })
      for (const ref of [
        { type: 'ref/prompt', name: `${name}__greet` },
        { type: 'ref/resource', uri: `test://${name}+item/{id}` },
      ]) {
        const argument = { name: 'id', value: 'I am' }
        const completed = await client.request('completion/complete', { ref, argument })
        expect(completed).toMatchObject({ completion: { values: [`I am ${name}`] } })
      }
    }
    expect(await refusal(client.request('resources/read', { uri: 'test://who' }))).toMatchObject({
      code: -32_602,
      message: expect.stringContaining('test://a+who, test://b+who'),
    })
    expect(await refusal(client.request('prompts/get', { name: 'greet' }))).toMatchObject({
      code: -32_602,
      message: expect.stringContaining('a__greet, b__greet'),
    })
  })

  it('declare their extensions to those who may use them', async () => {
    const { connect } = await twoAlike({
      agents: { all: { allow: { servers: ['*'] } }, some: { allow: { servers: ['a'] } } },
    })
    const extensionsFor = async (agent: string) => {
      const client = await connect({ era, headers: { 'x-agent-id': agent } })
      await client.request('resources/list')
      const { capabilities } = await client.greet()
      return Object(capabilities)['extensions']
    }
    const a = { 'com.example/a': { of: 'I am a' } }
    const b = { 'com.example/b': { of: 'I am b' } }
    expect(await extensionsFor('all')).toMatchObject({ ...a, ...b })
    const some = await extensionsFor('some')
    expect(some).toMatchObject(a)
    expect(some).not.toHaveProperty(['com.example/b'])
  })

  it('are told what clients can show, where they are asked for no client in particular', async () => {
    const { connect } = await twoAlike()
    const client = await connect({ era, mute: true })
    const whoami = structured(await call(client, 'a__whoami'))
    expect(whoami).toMatchObject({
      client: { capabilities: { extensions: { 'io.modelcontextprotocol/ui': {} } } },
    })
  })

  it('tell their own subscribers', async () => {
    const { connect } = await twoAlike()
    const client = await connect({ era })
    await client.subscribe(['test://b+text'])
    const updates = () =>
      client.heard.flatMap(({ method, params }) =>
        method === 'notifications/resources/updated' ? [params['uri']] : [],
      )
    await call(client, 'a__touch')
    await call(client, 'b__touch')
    await expect.poll(updates).toEqual(['test://b+text'])
  })

  it('are read by those who may use them only', async () => {
    const { connect } = await twoAlike({
      agents: {
        all: { allow: { servers: ['*'] } },
        some: { allow: { servers: ['a'] } },
      },
    })
    const all = await connect({ era, headers: { 'x-agent-id': 'all' } })
    const some = await connect({ era, headers: { 'x-agent-id': 'some' } })
    const uri = 'test://b+who'
    expect(await all.request('resources/read', { uri })).toMatchObject({
      contents: [{ text: 'I am b' }],
    })
    expect(await refusal(some.request('resources/read', { uri }))).toMatchObject({
      code: -32_602,
      message: expect.stringContaining('not found'),
    })
    // For an agent that sees one of them, the plain names mean that one, in plain terms.
    const plain = await some.request('resources/read', { uri: 'test://who' })
    expect(plain['contents']).toEqual([{ uri: 'test://who', text: 'I am a' }])
    expect(await some.request('prompts/get', { name: 'greet' })).toMatchObject({ server: 'I am a' })
    await some.subscribe(['test://text'])
    await call(some, 'a__touch')
    await expect
      .poll(() => some.heard)
      .toContainEqual(
        expect.objectContaining({ params: expect.objectContaining({ uri: 'test://text' }) }),
      )
  })
})
