import { expect, it } from 'vitest'
import type { Caller } from '../gateway/call.ts'
import { isLoopback } from '../base/net/net.ts'
import { credentialRequired } from './credential-required.ts'

const from = (transport: Caller['transport']): Caller => ({
  transport,
  credential: undefined,
  claimedAgent: undefined,
})

it.each([
  ['auto', '127.0.0.1', 'http', false],
  ['auto', '0.0.0.0', 'http', true],
  ['auto', '0.0.0.0', 'ws', true],
  ['auto', '0.0.0.0', 'stdio', false],
  [true, '127.0.0.1', 'http', true],
  [true, undefined, 'stdio', true],
  [true, undefined, 'in-process', false],
  [false, '0.0.0.0', 'http', false],
] as const)('with required: %s on %s, %s needs one: %s', (required, host, transport, expected) => {
  expect(credentialRequired({ required, host })(from(transport))).toBe(expected)
})

it.each([
  ['https://mcp.example.com', 'http', true],
  ['https://mcp.example.com', 'stdio', false],
  ['http://127.0.0.1:7411', 'http', false],
] as const)('on loopback behind %s, %s needs one: %s', (publicUrl, transport, expected) => {
  const rule = { required: 'auto', host: '127.0.0.1', publicUrl } as const
  expect(credentialRequired(rule)(from(transport))).toBe(expected)
})

it.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['localhost', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['127.0.0.1.evil.example', false],
  ['::', false],
])('%s is loopback: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected)
})
