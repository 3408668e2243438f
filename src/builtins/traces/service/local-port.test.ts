import { expect, it } from 'vitest'
import { aTracesService } from '../../../../test/support/a-traces-service.ts'
import { toolsOver } from '../../../../test/support/traces-tools.ts'
import { use } from '../../../../test/support/use-tool.ts'
import { conceptEmbedder } from '../../../../test/support/test-semantic-search.ts'

it('keeps to the limits of the account, and says when to come back', async () => {
  const traces = await aTracesService({ settings: { rateLimitReadPerMinute: 1 } })
  const tools = toolsOver(traces, { apiKey: (await traces.account()).key })
  expect((await use(tools, 'list_tags')).structured.degraded).toBe(false)
  expect((await use(tools, 'list_tags')).structured).toEqual({
    degraded: true,
    reason: 'rate_limited',
    retry_after_seconds: 60,
  })
})

it('lets nobody guess keys without end', async () => {
  const traces = await aTracesService()
  const tools = toolsOver(traces, { apiKey: 'guess' })
  for (let n = 0; n < 60; n += 1) await use(tools, 'list_tags')
  expect((await use(tools, 'list_tags')).structured).toMatchObject({ reason: 'rate_limited' })
})

/** A service whose store of rate limits can hang or fail, as a database can. */
async function aTroubledService() {
  const trouble: { take: () => number | Promise<number> } = { take: () => 0 }
  const traces = await aTracesService({ limiter: { take: () => trouble.take() } })
  return { traces, trouble }
}

it('answers in time, in words, when its store does not', async () => {
  const { traces, trouble } = await aTroubledService()
  const { key } = await traces.account()
  const tools = toolsOver(traces, { apiKey: key, limits: { readTimeoutMs: 200 } })
  trouble.take = async () => new Promise(() => {})
  const late = await use(tools, 'list_tags')
  expect(late.structured).toEqual({ degraded: true, reason: 'timeout' })
  trouble.take = () => 0
  expect((await use(tools, 'list_tags')).structured.degraded).toBe(false)
})

it('says so when its store fails, and answers again when it is back', async () => {
  const { traces, trouble } = await aTroubledService()
  const tools = toolsOver(traces, { apiKey: (await traces.account()).key })
  trouble.take = async () => Promise.reject(new Error('gone'))
  for (let n = 0; n < 8; n += 1)
    expect((await use(tools, 'list_tags')).structured).toMatchObject({ reason: 'unavailable' })
  trouble.take = () => 0
  expect((await use(tools, 'list_tags')).structured.degraded).toBe(false)
})

it('gives the embedder half of the time of a search, then answers by words alone', async () => {
  const embedder = conceptEmbedder()
  const traces = await aTracesService({ embedder })
  const author = await traces.account()
  await author.contribute({ title: 'The automobile stalls' })
  const limits = { readTimeoutMs: 1_000 }
  const tools = toolsOver(traces, { apiKey: author.key, limits })
  embedder.hangs = true
  const found = await use(tools, 'search_traces', { query: 'automobile stalls' })
  expect(found.structured).toMatchObject({ total: 1, lexical_only: true, degraded: true })
})
