import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { twoReplicas } from '../../../test/support/two-replicas.ts'
import { deferred } from '../../../test/support/deferred.ts'
import { openReadyRedis, untilReady } from '../../../test/support/open-ready-redis.ts'
import { startRedis } from '../../../test/support/redis.ts'
import {
  RESULT_LIMITS,
  asking,
  callOf,
  nextServer,
  testResults,
} from '../../../test/support/test-results.ts'
import type { CallResult } from '../../gateway/call.ts'
import { ResultCache, type ResultCacheOptions } from '../../gateway/state/result-cache.ts'
import { rawText, rememberText, toText } from '../../protocol/raw-text.ts'
import type { RedisClient } from './redis-client.ts'
import { RedisResults } from './redis-results.ts'

const [one, other] = await twoReplicas()

function open(client: RedisClient, options: Partial<ResultCacheOptions> = {}): RedisResults {
  return new RedisResults(client, { ...RESULT_LIMITS, ...options })
}

testResults('of one process', (limits) => new ResultCache({ ...RESULT_LIMITS, ...limits }))
testResults('shared in Redis', (limits) => open(one, limits))

describe('results of several replicas', () => {
  it('answers from what another replica has got, byte for byte', async () => {
    const [a, b] = [asking(open(one)), asking(open(other))]
    const read = callOf(nextServer())
    const text = '{"content":[{"type":"text","text":"é"}],"big":9007199254740993,"one":1.0}'
    const result = JSON.parse(text)
    rememberText(result, text)
    a.become(async () => result)
    await a.handle(read({}))
    await expect.poll(async () => rawText(await b.handle(read({})))).toBe(text)
    await b.handle(read({}))
    expect(b.asked()).toBeLessThanOrEqual(1)
  })

  it('forgets everywhere when something was changed through one of them', async () => {
    const [a, b] = [asking(open(one)), asking(open(other))]
    const read = callOf(nextServer())
    await a.handle(read({}))
    await b.handle(read({}))
    await a.handle(read({}, {}, false))
    const askedBefore = b.asked()
    b.become(async () => ({ content: ['new'] }))
    await expect.poll(async () => b.handle(read({}))).toEqual({ content: ['new'] })
    expect(b.asked()).toBe(askedBefore + 1)
  })

  it('does not store for others what it asked for before a change on another replica', async () => {
    const [a, b] = [asking(open(one)), asking(open(other))]
    const read = callOf(nextServer())
    const late = deferred<CallResult>()
    a.become(async () => late.promise)
    const asks = a.handle(read({}))
    await expect.poll(a.asked).toBe(1)
    await b.handle(read({}, {}, false))
    late.resolve({ content: ['old'] })
    expect(await asks).toEqual({ content: ['old'] })
    await sleep(20)
    b.become(async () => ({ content: ['new'] }))
    expect(await b.handle(read({}))).toEqual({ content: ['new'] })
    a.become(async () => ({ content: ['newer'] }))
    await expect.poll(async () => toText(await a.handle(read({})))).toMatch(/new/)
  })

  it('does not use what was stored before Redis lost the generation of the server', async () => {
    const read = callOf(nextServer())
    const generations = async () => one.ask(async (redis) => redis.keys('*:generation'))
    const before = new Set(await generations())
    await asking(open(one)).handle(read({}))
    const added = (await generations())?.filter((key) => !before.has(key)) ?? []
    await one.ask(async (redis) => redis.del(added))
    const later = asking(open(other))
    await later.handle(read({}))
    expect(later.asked()).toBe(1)
    await expect
      .poll(async () => {
        const third = asking(open(one))
        await third.handle(read({}))
        return third.asked()
      })
      .toBe(0)
  })

  it('works alone without Redis, and shares again when it is back, changes included', async () => {
    const server = await startRedis({ ownOnly: true })
    const clients = [await openReadyRedis(server.url), await openReadyRedis(server.url)]
    onTestFinished(async () => {
      for (const client of clients) client.close()
      await server.stop()
    })
    const [a, b] = clients.map((client) => asking(open(client)))
    if (!a || !b) throw new Error('two replicas')
    const read = callOf(nextServer())
    await a.handle(read({}))
    await b.handle(read({}))
    expect(a.asked() + b.asked()).toBe(1)
    await server.kill()
    await expect.poll(() => clients.some(({ state }) => state.up)).toBe(false)
    for (const { handle } of [a, a, b, b]) await handle(read({ other: 1 }))
    expect(a.asked() + b.asked()).toBe(3)
    await a.handle(read({}, {}, false))
    await server.start()
    for (const client of clients) await untilReady(client)
    await a.handle(read({ third: 1 }))
    await b.handle(read({ third: 1 }))
    expect(a.asked() + b.asked()).toBe(5)
  })
})
