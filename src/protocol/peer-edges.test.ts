import assert from 'node:assert/strict'
import { describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../base/json/json.ts'
import { Canceller } from '../base/flow/signal.ts'
import { RPC, RpcError } from './json-rpc.ts'
import { Peer, type PeerHandlers, encodeFailure, fromFailure, toFailure } from './peer.ts'
import { encodeId, fromText, rawText, toSendWithField, withField } from './raw-text.ts'
import { Registry } from './registry.ts'

function aPeer(handlers: Partial<PeerHandlers> = {}, idPrefix?: string) {
  const sent: JsonObject[] = []
  const peer = new Peer(
    (text) => sent.push(JSON.parse(text)),
    { request: async () => ({}), notification: () => undefined, ...handlers },
    idPrefix,
  )
  const receive = (message: unknown) => peer.receive(JSON.stringify(message))
  return { peer, sent, receive }
}

const settled = async () => new Promise((resolve) => setImmediate(resolve))

describe('a request', () => {
  it('is expected until it is answered, under an id with the prefix of its peer', async () => {
    const { peer, sent, receive } = aPeer({}, 'a-')
    const asked = peer.request('x', {})
    expect([sent[0]?.['id'], peer.expects('a-1'), peer.expects(1)]).toEqual(['a-1', true, false])
    receive({ id: 'a-1', result: { ok: true } })
    expect(await asked).toEqual({ ok: true })
    expect(peer.expects('a-1')).toBe(false)
    expect(aPeer().sent).toEqual([])
  })

  it('is not sent where it was cancelled before, nor after the end', async () => {
    const { peer, sent } = aPeer()
    const left = new Canceller()
    left.abort(new Error('left'))
    await expect(peer.request('x', {}, { signal: left })).rejects.toThrow('left')
    peer.close(new Error('gone'))
    peer.close(new Error('again'))
    await expect(peer.request('x', {})).rejects.toThrow('gone')
    peer.notify('y', {})
    expect(sent).toEqual([])
  })

  it('that cannot be written fails, and nothing remains of it', async () => {
    const { peer, sent } = aPeer()
    const signal = new Canceller()
    const params = { toJSON: () => assert.fail('too deep') }
    await expect(peer.request('x', params, { signal })).rejects.toThrow('too deep')
    signal.abort(new Error('late'))
    expect([sent, peer.expects(1)]).toEqual([[], false])
  })

  it('hears of no cancellation once it is answered', async () => {
    const { peer, sent, receive } = aPeer()
    const signal = new Canceller()
    const asked = peer.request('x', {}, { signal })
    receive({ id: 1, result: {} })
    await asked
    signal.abort(new Error('late'))
    expect(sent).toHaveLength(1)
  })

  it.each([
    [new Error('enough'), 'enough'],
    ['plain text', 'plain text'],
    [7, 'cancelled'],
  ])('tells why it was cancelled: %s', async (reason, said) => {
    const { peer, sent } = aPeer()
    const signal = new Canceller()
    const asked = peer.request('x', {}, { signal })
    signal.abort(reason)
    await expect(asked).rejects.toBe(reason)
    expect(sent[1]?.['params']).toEqual({ requestId: 1, reason: said })
  })

  it('fails by itself where its answer is empty or could not be taken; others go on', async () => {
    const { peer, receive } = aPeer()
    const [empty, large, other] = [
      peer.request('a', {}),
      peer.request('b', {}),
      peer.request('c', {}),
    ]
    receive({ id: 1 })
    await expect(empty).rejects.toMatchObject({ code: RPC.internalError, message: 'Empty answer' })
    peer.fail(2, new Error('too large'))
    peer.fail(99, new Error('unknown'))
    await expect(large).rejects.toThrow('too large')
    receive({ id: 99, result: {} })
    receive({ id: 3, result: { ok: true } })
    expect(await other).toEqual({ ok: true })
  })

  it('gives progress to its own listener, and other notifications to everybody', async () => {
    const heard: string[] = []
    const { peer, receive } = aPeer({ notification: (method) => void heard.push(method) })
    const progress = vi.fn()
    const asked = peer.request('x', {}, { onProgress: progress })
    receive({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } })
    receive({ method: 'notifications/progress', params: { progressToken: 2 } })
    receive({ method: 'notifications/other', params: { progressToken: 1 } })
    expect(progress).toHaveBeenCalledTimes(1)
    expect(heard).toEqual(['notifications/progress', 'notifications/other'])
    receive({ id: 1, result: {} })
    await asked
  })
})

describe('a request of the other side', () => {
  it('is counted while it is served, and not answered once it is cancelled', async () => {
    const ends: (() => void)[] = []
    const heard: string[] = []
    const { peer, sent, receive } = aPeer({
      request: async () => new Promise((resolve) => ends.push(() => resolve({ done: true }))),
      notification: (method) => void heard.push(method),
    })
    receive({ id: 'q1', method: 'x' })
    receive({ id: 'q2', method: 'x' })
    expect(peer.serving).toBe(2)
    receive({ method: 'notifications/cancelled', params: { requestId: 'q1' } })
    receive({ method: 'notifications/cancelled', params: { requestId: 'unknown' } })
    receive({ method: 'notifications/other', params: { requestId: 'q2' } })
    for (const end of ends) end()
    await settled()
    expect([peer.serving, sent]).toEqual([
      0,
      [{ jsonrpc: '2.0', id: 'q2', result: { done: true } }],
    ])
    expect(heard).toEqual(['notifications/cancelled', 'notifications/other'])
  })
})

it('refuses what is no message, where somebody hears of it', () => {
  const heard: string[] = []
  const { receive } = aPeer({ invalid: (_, { message }) => void heard.push(message) })
  for (const message of [7, null, {}, { id: 1.5 }]) receive(message)
  expect(heard.slice(0, 3).every((said) => said.startsWith('Invalid Request'))).toBe(true)
  expect(() => aPeer().receive(7)).not.toThrow()
})

it('keeps of a failure what has the right type', () => {
  expect(fromFailure({ code: 5, message: 'no' })).toMatchObject({ code: 5, message: 'no' })
  expect(fromFailure({ code: '5', message: 7 })).toMatchObject({
    code: RPC.internalError,
    message: 'Unknown error',
  })
  expect(toFailure(new Error('broke'))).toEqual({ code: RPC.internalError, message: 'broke' })
  expect(toFailure(new RpcError(5, 'no'))).toEqual({ code: 5, message: 'no' })
  expect(toFailure(new RpcError(5, 'no', [1]))).toEqual({ code: 5, message: 'no', data: [1] })
  expect(encodeFailure(null, { code: 5, message: 'no' })).toBe(
    '{"jsonrpc":"2.0","id":null,"error":{"code":5,"message":"no"}}',
  )
})

describe('a result with one more field', () => {
  it('keeps the text of the rest, to be kept or only to be sent', () => {
    const text = '{"big":9007199254740993}'
    for (const extend of [withField, toSendWithField]) {
      const extended = extend(fromText(text) ?? {}, 'a', 1)
      expect(rawText(extended)).toBe('{"a":1,"big":9007199254740993}')
      expect(extended['a']).toBe(1)
      const empty = extend(fromText('{}') ?? {}, 'a', 1)
      expect([rawText(empty), empty]).toEqual(['{"a":1}', expect.objectContaining({ a: 1 })])
      const plain = extend({ b: 2 }, 'a', 1)
      expect([rawText(plain), plain]).toEqual([undefined, { a: 1, b: 2 }])
      const known = fromText('{"a":2}') ?? {}
      expect(extend(known, 'a', 1)).toBe(known)
    }
    expect(withField(fromText('{"b":2}') ?? {}, 'a', 1)).toMatchObject({ a: 1, b: 2 })
  })

  it('comes from a text that is an object', () => {
    expect([fromText('[1]'), fromText('7')]).toEqual([undefined, undefined])
    expect(rawText(fromText('{ "a": 1.0 }') ?? {})).toBe('{ "a": 1.0 }')
  })
})

it('writes ids as they came, and keeps those of text and number apart', () => {
  expect([encodeId(7), encodeId('7'), encodeId(null)]).toEqual(['7', '"7"', 'null'])
  const registry = new Registry<string>()
  registry.set(1, 'number')
  registry.set('1', 'text')
  expect([registry.size, registry.get(1), registry.get('1')]).toEqual([2, 'number', 'text'])
  expect([registry.take('1'), registry.take('1'), registry.size]).toEqual(['text', undefined, 1])
})
