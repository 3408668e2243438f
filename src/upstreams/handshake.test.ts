import { describe, expect, it } from 'vitest'
import { aClient } from '../../test/support/a-call.ts'
import { META } from '../protocol/versions.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import { GATEWAY_INFO, discover, envelope } from './handshake.ts'

const infoFor = (info: Record<string, string> | undefined) =>
  envelope(aClient({ info }))[META.clientInfo]

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

describe('a server of the modern era', () => {
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
