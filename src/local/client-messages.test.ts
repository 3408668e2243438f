import { expect, it } from 'vitest'
import { seeClientLine, seeGatewayLine } from './client-messages.ts'

const see = (text: string) => seeClientLine(Buffer.from(`${text}\n`))
const seeAnswer = (text: string) => seeGatewayLine(Buffer.from(text))

it('sees the ids of requests, answers and cancellations, whatever stands around them', () => {
  expect(see('{"params":{"id":9},"method":"a","id":"x\\"y","jsonrpc":"2.0"}')).toEqual([
    { kind: 'request', key: '"x\\"y"', method: 'a' },
  ])
  expect(see('{"result":{"method":"b"},"id":7}')).toEqual([{ kind: 'answer', key: '7' }])
  expect(see('{"method":"notifications/cancelled","params":{"requestId":"q"}}')).toEqual([
    { kind: 'notification', method: 'notifications/cancelled', cancels: '"q"' },
  ])
  expect(see('[{"id":1,"method":"a"},{"id":12345678901234567890,"method":"b"}]')).toMatchObject([
    { key: '1' },
    { key: '12345678901234567890' },
  ])
  expect(see('nonsense')).toEqual([])
})

it('sees a message that is too long to be parsed by its edges', () => {
  const long = JSON.stringify({ text: 'x'.repeat(20_000), id: 3, method: 'no' })
  expect(see(`{"jsonrpc":"2.0","method":"tools/call","params":${long},"id":5}`)).toEqual([
    { kind: 'request', key: '5', method: 'tools/call' },
  ])
  expect(see(`{"jsonrpc":"2.0","id":6,"result":${long}}`)).toEqual([{ kind: 'answer', key: '6' }])
})

it('sees what the gateway asks and answers, and nothing in a notification', () => {
  expect(seeAnswer('{"jsonrpc":"2.0","id":"a,b","error":{}}')).toEqual({
    kind: 'answer',
    key: '"a,b"',
  })
  expect(seeAnswer('{"jsonrpc":"2.0","id":-1,"method":"ping"}')).toMatchObject({
    kind: 'request',
    key: '-1',
  })
  expect(seeAnswer('{"jsonrpc":"2.0","method":"x","params":{"id":1}}')).toBeUndefined()
})
