import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { JsonObject } from '../../src/base/json/json.ts'
import { toAbortSignal } from '../../src/base/flow/signal.ts'
import type { Authorized, CallResult } from '../../src/gateway/call.ts'
import { Flights } from '../../src/gateway/state/flights.ts'
import { budget } from '../../src/gateway/layers/budgets.ts'
import { cache } from '../../src/gateway/layers/cache.ts'
import { Pipeline } from '../../src/gateway/pipeline.ts'
import { ResultCache } from '../../src/gateway/state/result-cache.ts'
import type { ResultRules } from '../../src/protocol/service.ts'
import { createShaper } from '../../src/shaping/shaper.ts'
import { countTokens } from '../../src/shaping/tokens.ts'
import type { OpenApiService } from '../../src/upstreams/openapi/create-openapi-service.ts'
import { type DemoServer, startDemoServer } from '../../packs/nsip/demo/server.ts'
import { loadApi } from '../../src/upstreams/openapi/load/load-api.ts'
import { aCall, anUpstream } from '../../test/support/a-call.ts'
import { aContext } from '../../test/support/service-context.ts'
import { round } from '../support/numbers.ts'
import { type AskedCall, session } from './nsip-session.ts'

const MAIN = join(import.meta.dirname, '../../dist/cli/main.js')

/** Measures NSIP behind the layers of the gateway, with the calls of a breeder's agent. */
export async function measureNsip() {
  const demo = await startDemoServer()
  const service = await loadApi('nsip', { config: { baseUrl: demo.url, allowPrivate: true } })
  const call = throughLayers(service)
  const calls = session(demo.flock)

  const reductions: number[] = []
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

  const withoutCache = await requestsOf(demo, calls, throughLayers(service), true)
  const withCache = await requestsOf(demo, calls, throughLayers(service), false)
  await service.close()
  await demo[Symbol.asyncDispose]()
  const mean = reductions.reduce((sum, each) => sum + each, 0) / reductions.length
  console.log(
    `NSIP: ${calls.length} calls, ${reductions.length} over 2,000 tokens, ${lost} identifiers lost; ` +
      `${withoutCache} requests without the cache, ${withCache} with it`,
  )
  return {
    nsipReductionPct: round(mean, 1),
    nsipFewerCallsPct: round(100 * (1 - withCache / withoutCache), 1),
    ...(await startTimes()),
  }
}

async function requestsOf(
  demo: DemoServer,
  calls: readonly AskedCall[],
  call: Call,
  noCache: boolean,
): Promise<number> {
  const before = demo.requests
  for (const { name, args } of calls) await call(name, args, noCache)
  return demo.requests - before
}

type Call = (name: string, args: JsonObject, noCache: boolean) => Promise<CallResult>

/** The layers as the gateway chains them, around the service itself. */
function throughLayers(service: OpenApiService): Call {
  const results = new ResultCache({ maxEntries: 1000, maxBytes: 64e6, staleMs: 0 })
  const upstream = anUpstream({
    name: 'nsip',
    kind: 'openapi',
    inProcess: { rules: (tool) => service.rules(tool) },
  })
  const rulesOf = ({ tool }: Pick<Authorized, 'tool'>): ResultRules =>
    service.rules(tool?.name ?? '')
  let kept = 0
  const shaper = createShaper({
    keep: async () => `r_${kept++}`,
    rules: (_, tool) => service.rules(tool).summary,
  })
  const handle = Pipeline.for<Authorized, CallResult>()
    .through(budget(shaper, { maxTokens: (call) => rulesOf(call).maxTokens }))
    .through(
      cache(
        { results, flights: new Flights() },
        { rule: (call) => ({ ttlMs: rulesOf(call).cacheTtlMs ?? 0, shared: true }) },
      ),
    )
    .to(async ({ method, params, signal }) =>
      service.handle(method, params, aContext({ signal: toAbortSignal(signal) })),
    )
  return async (name, args, noCache) =>
    handle(
      aCall({
        params: { name, arguments: args },
        upstream,
        tool: { server: 'nsip', name, readOnly: true, definition: { name } },
        options: { noCache },
      }),
    )
}

function idsOf(value: unknown): string[] {
  const ids = JSON.stringify(value).match(/"\d{7,}[A-Z]{3}\d{3,}"/g) ?? []
  return [...new Set(ids)].map((id) => id.slice(1, -1))
}

/** Times a new process from its start to a connection, and from there to the list of tools. */
async function startTimes(): Promise<{ startMs: number; discoveryMs: number }> {
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
