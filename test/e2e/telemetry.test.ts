import { expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { call, execute, structured } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { serveHttp } from '../support/http-server.ts'
import { type CollectedPoint, startCollector } from '../support/otlp-collector.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const CONTEXT = {
  traceparent: `00-${TRACE}-${PARENT}-01`,
  tracestate: 'vendor=abc,other=1',
  baggage: 'team=red',
}

function toldBy(result: JsonObject): { meta: JsonObject; headers: Record<string, string> } {
  const { meta, headers } = structured(result)
  return { meta: { ...Object(meta) }, headers: { ...Object(headers) } }
}

async function open(env: Record<string, string>, more: object = {}) {
  const http = await startHttpUpstream('--era', 'both')
  onTestFinished(async () => http.close())
  return openGateway({
    servers: { one: stdioUpstream(), two: { url: http.url }, ...more },
    env,
  })
}

it('spans of a call and of its hop join the trace of the client, in both eras', async () => {
  const collector = await startCollector()
  const { connect } = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=so%20secret',
    OTEL_SERVICE_NAME: 'gate',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_METRIC_EXPORT_INTERVAL: '300',
  })
  const modern = await connect({ era: 'modern' })
  const told = toldBy(
    await modern.request('tools/call', {
      name: 'one__whoami',
      arguments: { secret: 'hunter2' },
      _meta: CONTEXT,
    }),
  )
  await expect.poll(() => collector.spans.length).toBe(2)
  const [hop, own] = collector.spans
  expect(own).toMatchObject({
    traceId: TRACE,
    parentSpanId: PARENT,
    traceState: CONTEXT.tracestate,
    name: 'tools/call whoami',
    kind: 2,
    status: 0,
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'whoami',
      'portolan.upstream': 'one',
      'portolan.decision': 'ALLOW',
    },
    resource: { 'service.name': 'gate', 'deployment.environment.name': 'test' },
  })
  expect(hop).toMatchObject({ traceId: TRACE, parentSpanId: own?.spanId, kind: 3 })
  expect(hop?.attributes).toMatchObject({ 'network.transport': 'pipe', 'portolan.upstream': 'one' })
  if (!hop || !own) throw new Error('no spans')
  expect(own.startNs <= hop.startNs && hop.endNs <= own.endNs).toBe(true)
  expect(told.meta).toMatchObject({ ...CONTEXT, traceparent: `00-${TRACE}-${hop.spanId}-01` })
  expect(JSON.stringify(collector.spans.map(({ attributes }) => attributes))).not.toContain(
    'hunter2',
  )
  expect(collector.headers[0]).toMatchObject({ 'x-key': 'so secret' })

  const legacy = await connect({ era: 'legacy', headers: CONTEXT })
  const heard = toldBy(await call(legacy, 'two__whoami'))
  await expect.poll(() => collector.spans.length).toBe(4)
  const sent = collector.spans.find(
    ({ kind, attributes }) => kind === 3 && attributes['portolan.upstream'] === 'two',
  )
  expect(heard.meta['traceparent']).toBe(`00-${TRACE}-${sent?.spanId}-01`)
  expect(heard.headers).toMatchObject({ ...CONTEXT, traceparent: heard.meta['traceparent'] })

  await expect
    .poll(() => standard(collector.points()).map(({ metric, count }) => [metric, count]))
    .toEqual([
      ['mcp.server.operation.duration', 1],
      ['mcp.server.operation.duration', 1],
      ['mcp.client.operation.duration', 1],
      ['mcp.client.operation.duration', 1],
    ])
  const [point] = standard(collector.points())
  expect(point?.buckets.reduce((sum, n) => sum + n)).toBe(1)
  expect([point?.unit, point?.buckets.length]).toEqual(['s', (point?.bounds.length ?? 0) + 1])
})

/** Those that the conventions for MCP name. */
const standard = (points: readonly CollectedPoint[]) =>
  points.filter(({ metric }) => metric.startsWith('mcp.'))

it('everything that Prometheus is shown is sent to the collector as well', async () => {
  const collector = await startCollector()
  const { connect, url } = await openGateway({
    servers: { one: stdioUpstream() },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_METRIC_EXPORT_INTERVAL: '200' },
  })
  const client = await connect({ headers: { 'x-agent-id': 'ada' } })
  for (let n = 0; n < 3; n += 1) await call(client, 'echo', { text: 'hi' })
  const shown = await (await fetch(`${url}/metrics`)).text()
  const names = [...shown.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', kind]) => ({
    name: name.replace(/_(total|seconds)$/, ''),
    kind: kind === 'counter' ? 'sum' : kind,
    has: new RegExp(`^${name}(_count)?[ {]`, 'm').test(shown),
  }))
  const sent = () => new Set(collector.points().map(({ metric, kind }) => `${metric} ${kind}`))
  const expected = names.filter(({ has }) => has).map(({ name, kind }) => `${name} ${kind}`)
  expect(expected.length).toBeGreaterThan(15)
  await expect.poll(() => expected.filter((one) => !sent().has(one))).toEqual([])

  const of = (name: string) => collector.points().filter(({ metric }) => metric === name)
  await expect
    .poll(() => of('portolan_tool_calls'))
    .toMatchObject([{ attributes: { tool: 'one/echo', decision: 'ALLOW' }, value: 3 }])
  expect(of('portolan_tool_duration')).toMatchObject([
    { unit: 's', count: 3, quantiles: [0.5, 0.95, 0.99] },
  ])
  const [latency] = of('portolan_operation_duration')
  expect(latency).toMatchObject({ attributes: { operation: 'tools/call' }, count: 3 })
  expect(latency?.buckets.reduce((sum, n) => sum + n)).toBe(3)
  expect(latency?.buckets.length).toBe((latency?.bounds.length ?? 0) + 1)
})

it('failures are errors in the trace, in the audit file and in the log, under the same ids', async () => {
  const collector = await startCollector()
  const gateway = await openGateway({
    servers: { one: stdioUpstream() },
    args: ['--log-format', 'json'],
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' },
  })
  const client = await gateway.connect({ era: 'modern', query: '' })
  await execute(client, 'one', 'fail', { text: 'as asked' })
  await client.request('tools/call', {
    name: 'execute_tool',
    arguments: { server: 'one', tool: 'hang', args: {}, timeout_ms: 200 },
  })
  await expect.poll(() => collector.spans.length).toBe(4)
  const own = collector.spans.filter(({ kind }) => kind === 2)
  expect(own.map(({ status, attributes }) => [status, attributes['error.type']])).toEqual([
    [2, 'tool_error'],
    [2, 'TIMEOUT'],
  ])
  const line = gateway
    .log()
    .split('\n')
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text))
    .find(({ message }) => message === 'a call failed')
  expect(line).toMatchObject({ trace_id: own[1]?.traceId, span_id: own[1]?.spanId, tool: 'hang' })
  await gateway.close()
  expect(gateway.folder.read('data/audit.jsonl')).toContain(
    `"trace_id":"${own[1]?.traceId}","span_id":"${own[1]?.spanId}"`,
  )
})

it('APIs are told by header, without the baggage', async () => {
  const collector = await startCollector()
  await using api = await serveHttp((_, response) => response.end('[]'))
  const folder = tempFolder()
  folder.write('pets.json', {
    openapi: '3.0.0',
    info: { title: 'Pets', version: '1' },
    paths: {
      '/pets': { get: { operationId: 'listPets', responses: { 200: { description: '' } } } },
    },
  })
  const { connect } = await openGateway({
    folder,
    servers: { pets: { openapi: './pets.json', baseUrl: api.url, allowPrivate: true } },
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  })
  await execute(await connect({ query: '', headers: CONTEXT }), 'pets', 'listPets')
  const { traceparent, tracestate, baggage } = api.seen[0]?.headers ?? {}
  expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
  expect(traceparent).not.toBe(CONTEXT.traceparent)
  expect([tracestate, baggage]).toEqual([CONTEXT.tracestate, undefined])
})

it.each([
  ['without a collector', {}],
  [
    'when switched off',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' },
  ],
])('%s the context passes through untouched', async (_, env) => {
  const { connect } = await open(env)
  for (const era of ['legacy', 'modern'] as const) {
    const client = await connect({ era })
    for (const server of ['one', 'two']) {
      const odd = { ...CONTEXT, traceparent: 'not even valid', 'com.example/x': [1, null] }
      const told = toldBy(
        await client.request('tools/call', {
          name: `${server}__whoami`,
          arguments: {},
          _meta: odd,
        }),
      )
      expect(told.meta).toMatchObject(odd)
    }
  }
  const byHeader = await connect({ headers: CONTEXT })
  const { headers, meta } = toldBy(await call(byHeader, 'two__whoami'))
  expect(headers).toMatchObject(CONTEXT)
  expect(meta['traceparent']).toBeUndefined()
})

it('what the sampler leaves out is not sent, and upstreams are told so', async () => {
  const collector = await startCollector()
  const { connect, close } = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  })
  const client = await connect({ era: 'modern' })
  expect(toldBy(await call(client, 'one__whoami')).meta['traceparent']).toMatch(/-00$/)
  await client.request('tools/call', { name: 'one__whoami', arguments: {}, _meta: CONTEXT })
  await close()
  expect(collector.spans.map(({ traceId }) => traceId)).toEqual([TRACE, TRACE])
})

it('a collector that is away costs no call, and gets what waited when it is back', async () => {
  const collector = await startCollector()
  collector.status = 503
  const { connect } = await open({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  })
  const client = await connect({ era: 'modern' })
  for (let n = 0; n < 5; n += 1) await call(client, 'one__echo', { text: 'hello' })
  await expect.poll(() => collector.headers.length).toBeGreaterThan(0)
  expect(collector.spans).toEqual([])
  collector.status = 200
  await expect.poll(() => collector.spans.length).toBe(10)
})
