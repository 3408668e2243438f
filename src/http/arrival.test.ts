import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { toArrival } from './arrival.ts'

function arriving(headers: IncomingMessage['headers']) {
  const request = new IncomingMessage(new Socket())
  request.headers = headers
  return toArrival(request, undefined, {})
}

it('passes on every header, also beside one that Node gives as a list', () => {
  const headers = { host: 'here', traceparent: '00-1-2-01' }
  expect(arriving(headers).headers).toEqual(headers)
  expect(arriving({ ...headers, 'set-cookie': ['a=b', 'c=d'] }).headers).toEqual({
    ...headers,
    'set-cookie': 'a=b, c=d',
  })
})

it('keeps a key of ours to itself, whatever comes with it', () => {
  for (const more of [{}, { 'set-cookie': ['a=b'] }]) {
    const { credential, headers } = arriving({ host: 'here', 'x-api-key': 'ptk_1', ...more })
    expect(credential).toBe('ptk_1')
    expect(headers).toHaveProperty('host')
    expect(headers).not.toHaveProperty('x-api-key')
  }
})
