import { IncomingMessage, ServerResponse, createServer } from 'node:http'
import { Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createRegistrationLimit } from './registration-limit.ts'

/** Registers so many clients, as a proxy in front of us tells of them. */
async function startSite() {
  const limit = createRegistrationLimit({ now: () => 0 })
  const http = createServer((request, response) => {
    if (!limit.refuses(request, response)) response.writeHead(201).end()
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.close()
    http.closeAllConnections()
  })
  const address = http.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  return async (count: number, forwardedFor: string) => {
    const answers = Array.from({ length: count }, async () =>
      fetch(url, { method: 'POST', headers: { 'x-forwarded-for': forwardedFor } }),
    )
    return Promise.all(answers)
  }
}

const good = (answers: readonly Response[]) => answers.filter(({ status }) => status === 201).length

it('lets an address register so many clients, and says when to come again', async () => {
  const register = await startSite()
  const answers = await register(61, '203.0.113.7')
  expect(good(answers)).toBe(60)
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.headers.get('retry-after')).toBe('30')
  expect(await refused?.json()).toMatchObject({
    error: 'temporarily_unavailable',
    error_description: expect.stringContaining('wait'),
  })
  // Another address is not kept waiting; what a client wrote into the header itself counts for nothing.
  expect(good(await register(1, '203.0.113.8'))).toBe(1)
  expect(good(await register(1, '198.51.100.9, 203.0.113.7'))).toBe(0)
})

it('lets all together register no more than is worth storing', async () => {
  const register = await startSite()
  const rounds = await Promise.all(
    Array.from({ length: 5 }, async (_, n) => register(50, `203.0.113.${n}`)),
  )
  expect(good(rounds.flat())).toBe(200)
})

/** How many of 61 clients are refused that come from a peer with this header. */
function refusedFrom(peer: (n: number) => string, forwarded?: (n: number) => string): number {
  const limit = createRegistrationLimit({ now: () => 0 })
  return Array.from({ length: 61 }, (_, n) => {
    const request = new IncomingMessage(
      Object.defineProperty(new Socket(), 'remoteAddress', { value: peer(n) }),
    )
    if (forwarded) request.headers['x-forwarded-for'] = forwarded(n)
    return limit.refuses(request, new ServerResponse(request))
  }).filter(Boolean).length
}

const apart = (n: number) => `203.0.113.${n}`
const one = () => '203.0.113.7'

it('believes what a proxy of ours says of an address, and nobody else', () => {
  expect(refusedFrom(one)).toBe(1)
  expect(refusedFrom(apart)).toBe(0)
  expect(refusedFrom(one, apart), 'a stranger who writes the header').toBe(1)
  expect(refusedFrom(() => '10.0.0.1', apart)).toBe(0)
  expect(refusedFrom(() => '::ffff:10.0.0.1', apart)).toBe(0)
  expect(refusedFrom(() => '10.0.0.1', one)).toBe(1)
  expect(
    refusedFrom((n) => `10.0.0.${n}`),
    'without the header',
  ).toBe(0)
})
