import { afterEach, expect, it, vi } from 'vitest'
import { ask } from './ask.ts'

afterEach(() => vi.unstubAllGlobals())

it.each([200, 502])('an answer %i of something else is a failure that says so', async (status) => {
  vi.stubGlobal('fetch', async () => new Response('<h1>Sign in to the proxy</h1>', { status }))
  await expect(ask('GET /servers')).rejects.toMatchObject({
    name: 'ApiError',
    status,
    message: `This is not an answer of the gateway (HTTP ${status})`,
    hint: expect.stringContaining('proxy'),
  })
})

it('a failure of the gateway is shown in its own words', async () => {
  const error = { code: 'X', message: 'No disk', hint: 'Free some' }
  vi.stubGlobal('fetch', async () => Response.json({ error }, { status: 500 }))
  await expect(ask('GET /servers')).rejects.toMatchObject({ message: 'No disk', hint: 'Free some' })
})
