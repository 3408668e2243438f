import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { budget } from '../../build/gateway/layers/budgets.js'
import { cache } from '../../build/gateway/layers/cache.js'
import { Pipeline } from '../../build/gateway/pipeline.js'
import { ResultCache } from '../../build/gateway/state/result-cache.js'
import { createShaper } from '../../build/shaping/shaper.js'
import { countTokens } from '../../build/shaping/tokens.js'
import { startDemoServer } from '../../build/upstreams/openapi/extensions/nsip/demo-server.js'
import { loadApi } from '../../build/upstreams/openapi/load/load-api.js'
import { session } from './nsip-session.mjs'

const MAIN = join(import.meta.dirname, '../../dist/cli/main.js')

/** NSIP behind the layers of the gateway, asked the way a breeder's agent asks. */
export async function measureNsip() {
  const demo = await startDemoServer()
  const service = await loadApi('nsip', { config: { baseUrl: demo.url, allowPrivate: true } })
  const call = throughLayers(service)
  const calls = session(demo.flock)

  const reductions = []
  let lost = 0
  for (const { name, args } of calls) {
    const whole = await call(name, { ...args, summarize: false }, true)
    const before = countTokens(JSON.stringify(whole.structuredContent))
    const shaped = await call(name, args, false)
    const after = countTokens(JSON.stringify(shaped.structuredContent))
    if (before <= 2000) continue
    reductions.push(100 * (1 - after / before))
    const text = JSON.stringify(shaped.structuredContent)
    lost += idsOf(whole.structuredContent).filter((id) => !text.includes(id)).length
  }

  const withoutCache = await requestsOf(demo, calls, service, true)
  const withCache = await requestsOf(demo, calls, service, false)
  await service.close()
  await demo[Symbol.asyncDispose]()
  const mean = reductions.reduce((sum, each) => sum + each, 0) / reductions.length
  console.log(
    `NSIP: ${calls.length} calls, ${reductions.length} over 2,000 tokens, ${lost} identifiers lost; ` +
      `${withoutCache} requests without the cache, ${withCache} with it`,
  )
  return {
    nsipReductionPct: Math.round(mean * 10) / 10,
    nsipFewerCallsPct: Math.round(1000 * (1 - withCache / withoutCache)) / 10,
    ...(await startTimes()),
  }
}

async function requestsOf(demo, calls, service, noCache) {
  const call = throughLayers(service)
  const before = demo.requests
  for (const { name, args } of calls) await call(name, args, noCache)
  return demo.requests - before
}

/** The layers as the gateway chains them, around the service itself. */
function throughLayers(service) {
  const results = new ResultCache({ maxEntries: 1000, maxBytes: 64e6, staleMs: 0 })
  const upstream = { name: 'nsip', kind: 'openapi', rules: (tool) => service.rules(tool) }
  let kept = 0
  const shaper = createShaper({
    keep: async () => `r_${kept++}`,
    rules: (_, tool) => service.rules(tool).summary,
  })
  const handle = Pipeline.for()
    .through(budget(shaper, { maxTokens: ({ tool }) => service.rules(tool.name).maxTokens }))
    .through(
      cache(results, {
        rule: ({ tool }) => ({ ttlMs: service.rules(tool.name).cacheTtlMs, shared: true }),
      }),
    )
    .to(async ({ method, params, signal }) =>
      service.handle(method, params, { signal, headers: {}, progress() {} }),
    )
  return async (name, args, noCache) =>
    handle({
      method: 'tools/call',
      params: { name, arguments: args },
      agent: { id: 'bench' },
      grant: { rule: 'bench' },
      upstream,
      tool: { name, readOnly: true, definition: {} },
      options: { noCache },
      signal: new AbortController().signal,
      event: {},
    })
}

function idsOf(value) {
  const ids = JSON.stringify(value).match(/"\d{7,}[A-Z]{3}\d{3,}"/g) ?? []
  return [...new Set(ids)].map((id) => id.slice(1, -1))
}

/** From the start of a fresh process to a working connection, and from there to the list of tools. */
async function startTimes() {
  const startedAt = performance.now()
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'api', 'nsip'],
      stderr: 'ignore',
    }),
  )
  const connectedAt = performance.now()
  await client.listTools()
  const listedAt = performance.now()
  await client.close()
  return {
    startMs: Math.round(connectedAt - startedAt),
    discoveryMs: Math.round(listedAt - connectedAt),
  }
}
