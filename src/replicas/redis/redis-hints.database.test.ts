import { expect, it } from 'vitest'
import { twoReplicas } from '../../../test/support/two-replicas.ts'
import { aCall, anUpstream } from '../../../test/support/a-call.ts'
import { Circuits, breaker } from '../../gateway/layers/breaker.ts'
import type { RedisClient } from './redis-client.ts'
import { createRedisHints } from './shared-redis.ts'

const [one, other] = await twoReplicas()

/** A replica whose calls fail as long as the server is down for it. */
function replica(client: RedisClient, openMs: number) {
  const circuits = new Circuits(() => ({ failures: 5, openMs }), createRedisHints(client.bus))
  const server = { down: true, asked: 0 }
  const handle = breaker(circuits)(async () => {
    server.asked += 1
    if (server.down) throw new Error('ECONNREFUSED')
    return { content: [] }
  })
  const upstream = anUpstream({ name: 'pg' })
  const ask = async () => handle(aCall({ upstream })).catch((error: unknown) => error)
  return { server, ask, state: () => circuits.states()['pg'] }
}

it('opens after one failure where another replica has warned, and never without any', async () => {
  const [a, b] = [replica(one, 30_000), replica(other, 30_000)]
  b.server.down = false
  await b.ask()
  for (let n = 0; n < 5; n += 1) await a.ask()
  expect(a.state()).toBe('open')
  b.server.down = true
  await expect.poll(async () => (await b.ask(), b.state())).toBe('open')
  expect(b.server.asked).toBeLessThan(5)
})

it('does not cut off a server that is well for this replica', async () => {
  const [a, b] = [replica(one, 30_000), replica(other, 30_000)]
  b.server.down = false
  for (let n = 0; n < 5; n += 1) await a.ask()
  await new Promise((resolve) => setTimeout(resolve, 50))
  for (let n = 0; n < 3; n += 1) await b.ask()
  expect(b.state()).toBe('closed')
  b.server.down = true
  await b.ask()
  expect(b.state(), 'a success clears the warning').toBe('closed')
})

it('tries again at once when another replica found the server well', async () => {
  const [a, b] = [replica(one, 100), replica(other, 60_000)]
  for (let n = 0; n < 5; n += 1) await Promise.all([a.ask(), b.ask()])
  expect([a.state(), b.state()]).toEqual(['open', 'open'])
  a.server.down = false
  b.server.down = false
  await expect.poll(async () => (await a.ask(), a.state())).toBe('closed')
  await expect.poll(b.state).toBe('half-open')
  const asked = b.server.asked
  await Promise.all([b.ask(), b.ask(), b.ask()])
  expect(b.server.asked).toBe(asked + 1)
  expect(b.state()).toBe('closed')
})
