import { expect, it } from 'vitest'
import { use } from '../../../../test/support/use-tool.ts'
import { toolsElsewhere } from '../../../../test/support/traces-tools.ts'
import type { Fetch } from './http-port.ts'

it('takes a refusal of a proxy as a refusal, though it is not JSON', async () => {
  const answers = [
    new Response('<html>slow down', { status: 429, headers: { 'Retry-After': '7' } }),
    new Response('<html>who are you', { status: 401, statusText: 'Unauthorized' }),
    Response.json({ tags: [] }),
  ]
  const fetch: Fetch = async () => answers.shift() ?? Response.error()
  const client = toolsElsewhere({ fetch, failureThreshold: 1 })
  expect((await use(client, 'list_tags')).structured).toMatchObject({
    reason: 'rate_limited',
    retry_after_seconds: 7,
  })
  expect((await use(client, 'list_tags')).text).toBe('[CommonTrace error] Unauthorized (HTTP 401)')
  expect((await use(client, 'list_tags')).structured.degraded).toBe(false)
})
