import { describe, expect, it } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { LEGACY_VERSIONS, META } from '../versions.ts'
import { RPC, RpcError } from '../json-rpc.ts'
import { ERAS, type Era, type Party } from './eras.ts'
import { GATEWAY_INFO } from './gateway-party.ts'

const discover = async (ask: Parameters<Era['greet']>[0], isConfigured = false) =>
  ERAS.modern.greet(ask, { isConfigured })

const infoFor = (info: Record<string, string> | undefined) =>
  ERAS.modern.envelope(aClient({ info }))?.[META.clientInfo]

it('introduces the client that asks, and completes what it left out', () => {
  expect(infoFor({ name: 'editor', version: '2', title: 'Ed' })).toEqual({
    name: 'editor',
    version: '2',
    title: 'Ed',
  })
  expect(infoFor({ name: 'editor' })).toEqual({ name: 'editor', version: GATEWAY_INFO.version })
  expect(infoFor(undefined)).toEqual(GATEWAY_INFO)
})

const notFound = async () => Promise.reject(new RpcError(RPC.methodNotFound, 'no'))
const refuse = (supported: string[]) =>
  new RpcError(RPC.unsupportedVersion, 'Unsupported protocol version', { supported })

const described = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
const answering = (supported: string[]) => {
  let asked = 0
  return async () => (++asked === 1 ? Promise.reject(refuse(supported)) : described)
}

/** What is asked of a server that answers so, and what is known of it then. */
async function initialized(answer: JsonObject, owner?: Party) {
  const asked: [string, JsonObject][] = []
  const greeting = await ERAS.legacy.greet(
    async (method, params) => (asked.push([method, params]), answer),
    { owner },
  )
  return { greeting, method: asked[0]?.[0], params: asked[0]?.[1] }
}

describe('a server with a handshake', () => {
  it('is understood in every version that we know, and refused in any other', async () => {
    for (const protocolVersion of LEGACY_VERSIONS)
      expect((await initialized({ protocolVersion })).greeting).toEqual({
        era: 'legacy',
        version: protocolVersion,
        capabilities: {},
        serverInfo: undefined,
        instructions: undefined,
      })
    for (const answer of [{ protocolVersion: '2099-01-01' }, {}])
      await expect(initialized(answer)).rejects.toMatchObject({ code: RPC.unsupportedVersion })
  })

  it('says what it is, where that has the right form', async () => {
    const said = {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '3' },
      instructions: 'Ask twice.',
    }
    expect((await initialized(said)).greeting).toEqual({
      era: 'legacy',
      version: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '3' },
      instructions: 'Ask twice.',
    })
    const odd = { ...said, capabilities: 'all', serverInfo: [1], instructions: 7 }
    expect((await initialized(odd)).greeting).toMatchObject({
      capabilities: {},
      serverInfo: undefined,
      instructions: undefined,
    })
  })

  const hello = { protocolVersion: '2025-06-18' }

  it('gets every capability that some client may have, where it serves several', async () => {
    const { method, params } = await initialized(hello)
    expect(method).toBe('initialize')
    expect(params).toMatchObject({
      protocolVersion: LEGACY_VERSIONS[0],
      clientInfo: GATEWAY_INFO,
      capabilities: {
        roots: {},
        sampling: {},
        elicitation: { form: {}, url: {} },
      },
    })
  })

  it('gets the capabilities of its one client, and roots, which are ours to answer', async () => {
    const owner = aClient({ capabilities: { sampling: {} }, info: { name: 'ed', version: '2' } })
    const { params } = await initialized(hello, owner)
    expect(params?.['capabilities']).toEqual({ roots: {}, sampling: {} })
    expect(params?.['clientInfo']).toEqual(GATEWAY_INFO)
  })

  it('gets the name of a client that is the only one of its gateway', async () => {
    const info = { name: 'ed', version: '2' }
    const { params } = await initialized(hello, aClient({ alone: true, info }))
    expect(params?.['clientInfo']).toEqual(info)
  })
})

it('says with each request what its client can do and which messages it wants', () => {
  const client = aClient({ capabilities: { sampling: {} }, logLevel: 'warning' })
  expect(ERAS.modern.envelope(client)).toMatchObject({
    [META.version]: '2026-07-28',
    [META.clientCapabilities]: { sampling: {} },
    [META.logLevel]: 'warning',
  })
  expect(ERAS.modern.envelope(aClient())).not.toHaveProperty([META.logLevel])
  expect(ERAS.modern.envelope(undefined)?.[META.clientCapabilities]).toHaveProperty('elicitation')
})

describe('a server of the modern era', () => {
  it('is taken at its word, where that has the right form', async () => {
    const asked: unknown[] = []
    const serverInfo = { name: 's', version: '3' }
    const said = { ...described, instructions: 'Ask.', _meta: { [META.serverInfo]: serverInfo } }
    expect(await discover(async (...all) => (asked.push(all), said))).toEqual({
      era: 'modern',
      version: '2026-07-28',
      capabilities: { tools: {} },
      serverInfo,
      instructions: 'Ask.',
    })
    expect(asked).toEqual([['server/discover', { _meta: ERAS.modern.envelope(undefined) }]])
    const odd = {
      ...described,
      capabilities: [],
      instructions: 7,
      _meta: { [META.serverInfo]: 's' },
    }
    expect(await discover(async () => odd)).toMatchObject({
      capabilities: { tools: {}, prompts: {}, resources: {} },
      serverInfo: undefined,
      instructions: undefined,
    })
    expect((await discover(async () => ({ ...described, _meta: 7 }))).serverInfo).toBeUndefined()
  })

  it('that fails otherwise is not asked twice, nor taken for one that need not answer', async () => {
    for (const error of [
      new Error('socket closed'),
      new RpcError(RPC.internalError, 'broken', { supported: ['2026-07-28'] }),
      new RpcError(RPC.unsupportedVersion, 'none', { supported: '2026-07-28' }),
      new RpcError(RPC.unsupportedVersion, 'none'),
    ]) {
      let asked = 0
      const ask = async () => (asked++, Promise.reject(error))
      await expect(discover(ask, true)).rejects.toBe(error)
      expect(asked).toBe(1)
    }
  })

  it('describes itself', async () => {
    expect(await discover(async () => described)).toMatchObject({
      era: 'modern',
      capabilities: { tools: {} },
    })
    await expect(discover(async () => ({ supportedVersions: ['2099-01-01'] }))).rejects.toThrow(
      'it does not speak 2026-07-28',
    )
  })

  it('need not describe itself where the configuration says what it speaks', async () => {
    await expect(discover(notFound)).rejects.toThrow('no')
    await expect(discover(async () => ({}))).rejects.toThrow('it does not speak 2026-07-28')
    for (const ask of [notFound, async () => ({})])
      expect((await discover(ask, true)).capabilities).toHaveProperty('tools')
    await expect(
      discover(async () => ({ supportedVersions: ['2099-01-01'] }), true),
    ).rejects.toThrow('it does not speak 2026-07-28')
  })

  it('is asked once more where it refuses a version and names ours', async () => {
    expect(await discover(answering(['2026-07-28']))).toMatchObject({ era: 'modern' })
    await expect(discover(answering(['2099-01-01']))).rejects.toThrow('Unsupported')
  })
})
