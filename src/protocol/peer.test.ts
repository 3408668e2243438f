import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { RpcError, type RpcFailure } from './json-rpc.ts'
import type { JsonObject } from '../base/json/json.ts'
import { LATE_ANSWER_MS, lateAnswerTo } from './late-answers.ts'
import { Peer, type PeerHandlers } from './peer.ts'
import { MAX_VALUES } from '../base/json/exact-json.ts'
import { Canceller } from '../base/flow/signal.ts'

function aPeer(handlers: Partial<PeerHandlers> = {}) {
  const sent: JsonObject[] = []
  const peer = new Peer((text) => sent.push(JSON.parse(text)), {
    request: async () => ({}),
    notification: () => undefined,
    ...handlers,
  })
  const receive = (message: unknown) => peer.receive(JSON.stringify(message))
  return { peer, sent, receive }
}

const settled = async () => new Promise((resolve) => setImmediate(resolve))

describe('asking', () => {
  it('matches answers to questions, in whatever order they come', async () => {
    const { peer, receive } = aPeer()
    const [first, second] = [peer.request('a', {}), peer.request('b', {})]
    receive({ jsonrpc: '2.0', id: 2, result: { of: 'b' } })
    receive({ jsonrpc: '2.0', id: 1, result: { of: 'a' } })
    expect([await first, await second]).toMatchObject([{ of: 'a' }, { of: 'b' }])
  })

  it('keeps code, message and data of an error', async () => {
    const { peer, receive } = aPeer()
    const asked = peer.request('a', {})
    receive({ jsonrpc: '2.0', id: 1, error: { code: -31_000, message: 'no', data: [1] } })
    await expect(asked).rejects.toEqual(new RpcError(-31_000, 'no', [1]))
  })

  it('tells the other side when the asker gives up, and ignores the late answer', async () => {
    const { peer, sent, receive } = aPeer()
    const canceller = new Canceller()
    const asked = peer.request('a', {}, { signal: canceller })
    canceller.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
    expect(sent[1]).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: 'enough' },
    })
    expect(() => receive({ jsonrpc: '2.0', id: 1, result: {} })).not.toThrow()
  })

  it.each([
    ['the answer comes', ({ receive }) => receive({ jsonrpc: '2.0', id: 1, result: {} })],
    ['an error comes', ({ receive }) => receive({ jsonrpc: '2.0', id: 1, error: { code: 1 } })],
    ['the conversation ends', ({ peer }) => peer.close(new Error('gone'))],
    ['it has waited long enough', () => vi.advanceTimersByTime(LATE_ANSWER_MS)],
  ] satisfies [string, (talk: ReturnType<typeof aPeer>) => void][])(
    'counts a cancelled question as open until %s',
    async (_, end) => {
      vi.useFakeTimers()
      onTestFinished(() => void vi.useRealTimers())
      const talk = aPeer()
      const canceller = new Canceller()
      const asked = talk.peer.request('a', {}, { signal: canceller }).catch(() => undefined)
      const other = talk.peer.request('b', {}).catch(() => undefined)
      expect(lateAnswerTo(canceller)).toBeUndefined()
      canceller.abort()
      await asked
      let isOver = false
      void lateAnswerTo(canceller)?.then(() => (isOver = true))
      talk.receive({ jsonrpc: '2.0', id: 2, result: {} })
      vi.advanceTimersByTime(LATE_ANSWER_MS - 1)
      await other
      expect(isOver).toBe(false)
      end(talk)
      await lateAnswerTo(canceller)
      expect(isOver).toBe(true)
      expect(talk.peer.expects(1)).toBe(false)
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  it('hears progress of its own question only, up to the answer', async () => {
    const unheard: JsonObject[] = []
    const { peer, receive, sent } = aPeer({ notification: (_, params) => unheard.push(params) })
    const progress: unknown[] = []
    const onProgress = ({ progress: step }: JsonObject) => progress.push(step)
    const asked = peer.request('a', { _meta: { other: 1 } }, { onProgress })
    expect(sent[0]).toMatchObject({ params: { _meta: { other: 1, progressToken: 1 } } })
    const tell = (progressToken: number, step: number) =>
      receive({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress: step },
      })
    tell(1, 1)
    tell(2, 9)
    receive({ jsonrpc: '2.0', id: 1, result: {} })
    tell(1, 2)
    await asked
    expect(progress).toEqual([1])
    expect(unheard).toHaveLength(2)
  })

  it('fails all that is open when the conversation ends, and all that comes after', async () => {
    const { peer } = aPeer()
    const open = peer.request('a', {})
    peer.close(new Error('gone'))
    await expect(open).rejects.toThrow('gone')
    await expect(peer.request('b', {})).rejects.toThrow('gone')
  })
})

describe('answering', () => {
  it('answers with the result, or with the error and never its stack', async () => {
    const { receive, sent } = aPeer({
      request: async (method) => {
        if (method === 'good') return { fine: true }
        throw method === 'known' ? new RpcError(-5, 'known', { x: 1 }) : new Error('surprise')
      },
    })
    receive({ jsonrpc: '2.0', id: 'a', method: 'good' })
    receive({ jsonrpc: '2.0', id: 0, method: 'known' })
    receive({ jsonrpc: '2.0', id: 2, method: 'unknown' })
    await settled()
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 'a', result: { fine: true } },
      { jsonrpc: '2.0', id: 0, error: { code: -5, message: 'known', data: { x: 1 } } },
      { jsonrpc: '2.0', id: 2, error: { code: -32_603, message: 'surprise' } },
    ])
  })

  it('stops what was cancelled, and does not answer it', async () => {
    const reasons: unknown[] = []
    const { receive, sent } = aPeer({
      request: async (_method, _params, { canceller }) =>
        new Promise((resolve) => {
          canceller.addEventListener('abort', () => {
            reasons.push(canceller.reason)
            resolve({})
          })
        }),
    })
    receive({ jsonrpc: '2.0', id: 1, method: 'slow' })
    receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    await settled()
    expect(reasons).toHaveLength(1)
    expect(sent).toEqual([])
  })

  it('refuses a request whose id another one has, which can still be cancelled', async () => {
    const reasons: unknown[] = []
    const { sent, receive } = aPeer({
      request: async (_method, _params, { canceller }) =>
        new Promise(() => canceller.addEventListener('abort', () => reasons.push('cancelled'))),
    })
    receive({ jsonrpc: '2.0', id: 1, method: 'slow' })
    receive({ jsonrpc: '2.0', id: 1, method: 'slow' })
    await settled()
    expect(sent).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32_600, message: expect.stringContaining('an id of its own') },
      },
    ])
    receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(reasons).toEqual(['cancelled'])
  })

  it('tells what is no message, and takes a batch apart', async () => {
    const invalid: number[] = []
    const { peer, receive, sent } = aPeer({ invalid: (_, { code }) => invalid.push(code) })
    peer.receive('{"half":')
    receive(7)
    receive({ jsonrpc: '2.0' })
    receive([{ jsonrpc: '2.0', id: 1, method: 'x' }, 'y'])
    await settled()
    expect(invalid).toEqual([-32_700, -32_600, -32_600, -32_600])
    expect(sent).toHaveLength(1)
  })
  it('refuses a batch of more than 100 messages as a whole, and takes one of 100', async () => {
    const invalid: RpcFailure[] = []
    const { receive, sent } = aPeer({ invalid: (_, problem) => invalid.push(problem) })
    const batch = (length: number) =>
      receive(Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', id, method: 'x' })))
    batch(101)
    await settled()
    expect(sent).toEqual([])
    expect(invalid).toEqual([
      { code: -32_600, message: expect.stringContaining('101 messages and may have 100') },
    ])
    batch(100)
    await vi.waitFor(() => expect(sent).toHaveLength(100))
    expect(invalid).toHaveLength(1)
  })

  it('runs the requests of a batch a few at a time, and not those that were cancelled', async () => {
    let running = 0
    let mostRunning = 0
    const ran: unknown[] = []
    const { receive, sent } = aPeer({
      request: async (_method, { at }) => {
        ran.push(at)
        mostRunning = Math.max(mostRunning, ++running)
        await settled()
        running--
        return {}
      },
    })
    const requests = Array.from({ length: 40 }, (_, at) => ({
      jsonrpc: '2.0',
      id: at,
      method: 'x',
      params: { at },
    }))
    receive([
      ...requests,
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 30 } },
    ])
    await vi.waitFor(() => expect(sent).toHaveLength(39))
    expect(mostRunning).toBe(10)
    expect(ran).not.toContain(30)
  })
})

it('answers and cancels requests whose id no double can hold', async () => {
  const texts: string[] = []
  const stopped: string[] = []
  const peer = new Peer((text) => texts.push(text), {
    request: async (method, _params, { canceller }) => {
      if (method === 'quick') return { method }
      return new Promise((_, reject) => {
        canceller.addEventListener('abort', () => {
          stopped.push(method)
          reject(new Error('stopped'))
        })
      })
    },
    notification: () => undefined,
  })
  peer.receive('{"jsonrpc":"2.0","id":9007199254740993,"method":"slow"}')
  peer.receive('{"jsonrpc":"2.0","id":9007199254740992,"method":"other"}')
  peer.receive('{"jsonrpc":"2.0","id":12345678901234567890,"method":"quick"}')
  peer.receive(
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}',
  )
  await settled()
  expect(texts).toEqual(['{"jsonrpc":"2.0","id":12345678901234567890,"result":{"method":"quick"}}'])
  expect(stopped).toEqual(['slow'])
})

describe('a message of more values than are read', () => {
  const MANY = `[${'{},'.repeat(MAX_VALUES)}0]`
  const PROBLEM = 'its message was not read: the JSON has more than 1000000 values'

  it.each([
    ['the id comes first', `{"jsonrpc":"2.0","id":1,"result":{"a":${MANY}}}`],
    ['the id comes last', `{"result":{"a":${MANY}},"jsonrpc":"2.0","id":1}`],
  ])('fails the request that it answers, where %s', async (_, text) => {
    const { peer } = aPeer()
    const asked = peer.request('a', {})
    peer.receive(text)
    await expect(asked).rejects.toThrow(PROBLEM)
  })

  it('is refused with its id when it is a request, and logged without its content', () => {
    const invalid = vi.fn<NonNullable<PeerHandlers['invalid']>>()
    const { peer } = aPeer({ invalid })
    peer.receive(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"a":${MANY}}}`)
    expect(invalid.mock.calls).toEqual([[PROBLEM, { code: -32_600, message: PROBLEM }, 'x']])
  })
})
