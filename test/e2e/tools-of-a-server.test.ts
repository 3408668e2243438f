import { expect, it } from 'vitest'
import { call, valueOf } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

it('keeps an answer within a budget by itself, and says how to get the rest', async () => {
  const gateway = await openGateway({
    servers: { many: stdioUpstream('--tools', '400'), few: stdioUpstream() },
  })
  const client = await gateway.connect()
  const ask = async (args: object) =>
    valueOf(await call(client, 'get_server_tools', { server: 'many', ...args }))

  const first = await ask({})
  expect(Number(first['tokens_used'])).toBeLessThanOrEqual(8_000)
  expect(first).toMatchObject({ truncated: true, error: null })
  const left: unknown[] = Array.isArray(first['omitted_names']) ? first['omitted_names'] : []
  expect(left.length).toBe(Math.min(200, Number(first['omitted'])))
  expect(Number(first['returned']) + Number(first['omitted'])).toBe(first['total_available'])

  const rest = await ask({ names: left })
  expect(rest).toMatchObject({ returned: left.length })
  expect(rest).not.toHaveProperty('truncated')
  expect(await ask({ max_schema_tokens: 1_000_000 })).not.toHaveProperty('truncated')
  expect(await ask({ server: 'few' })).not.toHaveProperty('truncated')
})

/** A server that starts, and cannot list its tools without the network. */
const OFFLINE = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = method === 'initialize'
    ? { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } }
    : { error: { code: -32603, message: 'fetch failed' } }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
})`

it('answers in band for a server that answers its list with an error', async () => {
  const gateway = await openGateway({
    servers: {
      offline: { command: process.execPath, args: ['-e', OFFLINE] },
      few: stdioUpstream(),
    },
  })
  const client = await gateway.connect()
  const answer = valueOf(await call(client, 'get_server_tools', { server: 'offline' }))
  expect(answer).toMatchObject({
    tools: [],
    error: "Server unavailable: 'offline' did not list its tools: fetch failed",
    error_detail: { code: 'SERVER_UNAVAILABLE' },
  })
  expect(valueOf(await call(client, 'get_server_tools', { server: 'few' }))['error']).toBeNull()
})
