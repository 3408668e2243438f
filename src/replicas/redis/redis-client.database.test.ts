import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { openReadyRedis, untilReady } from '../../../test/support/open-ready-redis.ts'
import { startRedis } from '../../../test/support/redis.ts'
import { openRedis } from './open-redis.ts'
import { defineScript } from './script.ts'

async function setup(answerMs?: number) {
  const server = await startRedis({ ownOnly: true })
  const client = await openReadyRedis(server.url, answerMs)
  const changes: boolean[] = []
  client.onChange(({ up }) => changes.push(up))
  onTestFinished(async () => {
    client.close()
    await server.stop()
  })
  const timed = async () => {
    const startedAt = performance.now()
    const answer = await client.ask(async (redis) => redis.ping())
    return { answer, ms: performance.now() - startedAt }
  }
  return { server, client, changes, timed }
}

it('does without a server that was never there, at once', async () => {
  const client = openRedis('redis://127.0.0.1:1')
  onTestFinished(() => client.close())
  const startedAt = performance.now()
  expect(await client.ask(async (redis) => redis.ping())).toBeUndefined()
  expect(performance.now() - startedAt).toBeLessThan(1000)
  expect(client.state).toMatchObject({ up: false })
})

it('does without a server that was killed, says so once, and finds it again', async () => {
  const { server, client, changes, timed } = await setup()
  await server.kill()
  await expect.poll(() => client.state.up).toBe(false)
  for (let n = 0; n < 20; n += 1) {
    const { answer, ms } = await timed()
    expect(answer).toBeUndefined()
    expect(ms).toBeLessThan(1000)
  }
  await server.start()
  await untilReady(client)
  expect((await timed()).answer).toBe('PONG')
  expect(changes).toEqual([false, true])
})

it('waits a few milliseconds for a server that stands still, a few times, then not at all', async () => {
  const { server, client, changes, timed } = await setup(50)
  server.pause()
  const waits = []
  for (let n = 0; n < 10; n += 1) waits.push((await timed()).ms)
  expect(Math.max(...waits)).toBeLessThan(5_000)
  expect(client.state).toMatchObject({ up: false, error: expect.stringContaining('50 ms') })
  server.resume()
  await expect.poll(async () => (await timed()).answer).toBe('PONG')
  expect(changes).toEqual([false, true])
})

it('is not taken for slow when this process was', async () => {
  const { client } = await setup(50)
  const asked = client.ask(async (redis) => redis.ping())
  await sleep(0)
  const until = performance.now() + 100
  while (performance.now() < until);
  expect(await asked).toBe('PONG')
})

it('runs scripts that a restarted server has never seen', async () => {
  const { server, client } = await setup()
  const script = defineScript('return {KEYS[1], ARGV[1]}')
  expect(await client.run(script, ['k'], [1])).toEqual(['k', '1'])
  const before = client.volatileKey('x')
  await server.restart()
  await expect.poll(async () => client.run(script, ['k'], [2])).toEqual(['k', '2'])
  expect(client.volatileKey('x')).not.toBe(before)
})

it('hears what others say, not itself, and again after a restart', async () => {
  const { server, client } = await setup()
  const other = await openReadyRedis(server.url)
  onTestFinished(() => other.close())
  const heard: unknown[] = []
  const { stop } = client.bus.subscribe('news', ({ text }) => heard.push(text))
  const tell = async (text: string) => {
    heard.length = 0
    await client.bus.publish('news', { text: 'own' })
    await other.bus.publish('news', { text })
    return heard.join()
  }
  await expect.poll(async () => tell('one')).toBe('one')
  await server.restart()
  await expect.poll(async () => tell('two')).toBe('two')
  stop()
  await expect.poll(async () => other.bus.publish('news', {})).toBe(0)
})
