import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'b' } }
const first = { jsonrpc: '2.0', id: 0, method: 'initialize', params }

async function post(gateway: Opened, batch: readonly JsonObject[]) {
  const response = await fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(batch),
  })
  return { status: response.status, body: await response.json() }
}

it('a batch of more than 100 messages is refused as a whole, one of 100 is answered', async () => {
  const gateway = await openGateway({ servers: { one: stdioUpstream() } })
  const batch = async (length: number) => {
    const rest = Array.from({ length: length - 1 }, (_, at) =>
      at % 2
        ? { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }
        : { jsonrpc: '2.0', id: at + 1, method: 'ping' },
    )
    return post(gateway, [first, ...rest])
  }
  expect(await batch(101)).toMatchObject({
    status: 400,
    body: { id: null, error: { code: -32_600, message: expect.stringContaining('may have 100') } },
  })
  expect(await batch(100)).toMatchObject({ status: 200, body: { length: 51 } })
})

it('a batch of searches does not keep others waiting', async () => {
  const gateway = await openGateway({ servers: { one: stdioUpstream() } })
  const search = { name: 'find_tools', arguments: { query: 'say the same text again' } }
  const searches = async (length: number) => {
    const rest = Array.from({ length }, (_, at) => ({
      jsonrpc: '2.0',
      id: at + 1,
      method: 'tools/call',
      params: search,
    }))
    return post(gateway, [first, ...rest])
  }
  // The first search opens the model.
  await searches(1)
  const order: string[] = []
  const searching = searches(99).then(() => order.push('searches'))
  await new Promise((resolve) => setTimeout(resolve, 2))
  const asking = fetch(`${gateway.url}/health`).then(() => order.push('health'))
  await Promise.all([searching, asking])
  expect(order).toEqual(['health', 'searches'])
})
