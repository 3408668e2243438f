import { type Duplex, PassThrough, duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { Bridge } from './bridge.ts'
import { STOPPED, movedLine } from './moved.ts'

/** A gateway at the far end of a connection: what it was sent, and what it writes. */
interface Far {
  readonly stream: Duplex
  readonly lines: string[]
  answer(id: unknown, result?: object): void
  /** Ends as a process that is killed does. */
  die(): void
}

/** A bridge whose gateways are under the control of the test. */
function aBridge() {
  const input = new PassThrough()
  const output = new PassThrough()
  const gateways: Far[] = []
  const unstable: boolean[] = []
  const open = () => {
    const [near, stream] = duplexPair()
    const lines: string[] = []
    stream.on('data', (chunk: Buffer) =>
      lines.push(...chunk.toString().split('\n').filter(Boolean)),
    )
    stream.on('error', () => undefined)
    gateways.push({
      stream,
      lines,
      die: () => void near.destroy(),
      answer: (id, result = {}) => void stream.write(`${line(id, { result })}\n`),
    })
    return near
  }
  const received: string[] = []
  output.on('data', (chunk: Buffer) =>
    received.push(...chunk.toString().split('\n').filter(Boolean)),
  )
  const bridge = new Bridge({
    input,
    output,
    first: open(),
    async reconnect(_, isUnstable) {
      unstable.push(isUnstable)
      return open()
    },
  })
  onTestFinished(() => void input.end())
  const gateway = (at: number): Far => {
    const found = gateways[at]
    if (!found) throw new Error(`There is no gateway ${at}`)
    return found
  }
  return {
    bridge,
    input,
    output,
    received,
    unstable,
    gateway,
    gateways,
    say: (message: object) => void input.write(`${JSON.stringify(message)}\n`),
  }
}

const line = (id: unknown, more: object) => JSON.stringify({ jsonrpc: '2.0', id, ...more })
const call = (id: unknown, method = 'tools/call', params: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const settled = () => new Promise((resolve) => setTimeout(resolve, 20))

it('passes on what both sides write, byte for byte, also in pieces', async () => {
  const { input, received, gateway, bridge, output } = aBridge()
  const odd = '{ "id" : 12345678901234567890 , "method":"x", "jsonrpc":"2.0","n":1.0 }'
  input.write(odd.slice(0, 10))
  await settled()
  expect(gateway(0).lines).toEqual([])
  input.write(`${odd.slice(10)}\nnonsense\n`)
  gateway(0).stream.write('{"jsonrpc":"2.0","id":12345678901234567890,"result":{"n":1.0')
  gateway(0).stream.write('0}}\n')
  await expect.poll(() => gateway(0).lines).toEqual([odd, 'nonsense'])
  await expect
    .poll(() => received)
    .toEqual(['{"jsonrpc":"2.0","id":12345678901234567890,"result":{"n":1.00}}'])
  input.end()
  gateway(0).stream.end()
  await bridge.ended
  output.end()
  expect(await text(output)).toBe('')
})

it('opens the session again at the next gateway, and fails only what was in flight', async () => {
  const { say, gateway, received, gateways } = aBridge()
  say(call(1, 'initialize', { clientInfo: { name: 'x' } }))
  gateway(0).answer(1)
  say({ jsonrpc: '2.0', method: 'notifications/initialized' })
  say(call(2, 'logging/setLevel', { level: 'debug' }))
  say(call(3, 'resources/subscribe', { uri: 'a://b' }))
  say(call(4, 'resources/subscribe', { uri: 'c://d' }))
  say(call(5, 'resources/unsubscribe', { uri: 'c://d' }))
  for (const id of [2, 3, 4, 5]) gateway(0).answer(id)
  say(call('six'))
  await expect.poll(() => received).toHaveLength(5)
  await expect.poll(() => gateway(0).lines).toHaveLength(7)
  gateway(0).die()
  await expect.poll(() => gateways).toHaveLength(2)
  expect(JSON.parse(received[5] ?? '')).toMatchObject({
    id: 'six',
    error: { code: -32_001, data: { retryable: true } },
  })
  say(call(7))
  await expect.poll(() => gateway(1).lines).toHaveLength(1)
  expect(gateway(1).lines[0]).toBe(gateway(0).lines[0])
  gateway(1).answer(1, { of: 'the second' })
  await expect
    .poll(() => gateway(1).lines.map((each) => JSON.parse(each).method))
    .toEqual([
      'initialize',
      'notifications/initialized',
      'logging/setLevel',
      'resources/subscribe',
      'tools/call',
    ])
  for (const id of [2, 3, 7]) gateway(1).answer(id, { of: 'the second' })
  await expect.poll(() => received.slice(6)).toEqual([line(7, { result: { of: 'the second' } })])
})

it('sends a handshake without an answer, and a subscription, to the next gateway', async () => {
  const { say, gateway, received, gateways } = aBridge()
  say(call(1, 'initialize'))
  say(call(2, 'subscriptions/listen'))
  await expect.poll(() => gateway(0).lines).toHaveLength(2)
  gateway(0).die()
  await expect.poll(() => gateways).toHaveLength(2)
  await expect.poll(() => gateway(1).lines).toEqual(gateway(0).lines)
  gateway(1).answer(1)
  await expect.poll(() => received).toEqual([line(1, { result: {} })])
})

it('takes back the questions of a lost gateway, and keeps their answers from the next', async () => {
  const { say, gateway, received, gateways } = aBridge()
  gateway(0).stream.write(`${line(1, { method: 'roots/list', params: {} })}\n`)
  await expect.poll(() => received).toHaveLength(1)
  gateway(0).die()
  await expect.poll(() => gateways).toHaveLength(2)
  expect(JSON.parse(received[1] ?? '')).toMatchObject({
    method: 'notifications/cancelled',
    params: { requestId: 1 },
  })
  say({ jsonrpc: '2.0', id: 1, result: { roots: [] } })
  say(call(2))
  await expect.poll(() => gateway(1).lines).toEqual([JSON.stringify(call(2))])
})

it('finishes at a gateway that leaves what is in flight there, and goes on at the next', async () => {
  const { say, gateway, received, gateways } = aBridge()
  say(call(1))
  gateway(0).stream.write(`${line('q', { method: 'elicitation/create', params: {} })}\n`)
  await expect.poll(() => received).toHaveLength(1)
  gateway(0).stream.write(movedLine('an upgrade'))
  await expect.poll(() => gateways).toHaveLength(2)
  say(call(2))
  say({ jsonrpc: '2.0', id: 'q', result: { action: 'accept' } })
  say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  await expect.poll(() => gateway(1).lines).toEqual([JSON.stringify(call(2))])
  await expect.poll(() => gateway(0).lines).toHaveLength(3)
  expect(gateway(0).stream.readableEnded).toBe(false)
  gateway(0).answer(1)
  await expect.poll(() => gateway(0).stream.readableEnded).toBe(true)
  gateway(1).answer(2)
  await expect
    .poll(() => received.slice(1))
    .toEqual([line(1, { result: {} }), line(2, { result: {} })])
})

it('looks for another gateway than one that was stopped only when the client needs it', async () => {
  const { say, gateway, gateways } = aBridge()
  gateway(0).stream.write(movedLine(STOPPED))
  await expect.poll(() => gateway(0).stream.readableEnded).toBe(true)
  gateway(0).die()
  await settled()
  expect(gateways).toHaveLength(1)
  say(call(1))
  await expect.poll(() => gateways).toHaveLength(2)
  await expect.poll(() => gateway(1).lines).toHaveLength(1)
})

it('says when gateways are lost again and again', async () => {
  const { gateway, unstable } = aBridge()
  for (const at of [0, 1, 2]) {
    gateway(at).die()
    await expect.poll(() => unstable).toHaveLength(at + 1)
    await settled()
  }
  expect(unstable).toEqual([false, false, true])
})
