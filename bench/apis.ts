/**
 * Measures APIs as tools: the tools that descriptions give, their cost, whether calls arrive
 * as described, and what NSIP saves. `npm run bench -- apis [--specs <folder>] [--sample <n>]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { JsonObject } from '../src/base/json/json.ts'
import { countTokens } from '../src/shaping/tokens.ts'
import { type ApiConfig, parseApiConfig } from '../src/upstreams/openapi/load/api-config.ts'
import type { ApiTool, CallPlan } from '../src/upstreams/openapi/tools/api-tool.ts'
import { createOpenApiService } from '../src/upstreams/openapi/create-openapi-service.ts'
import { loadImportedApi } from '../src/upstreams/openapi/load/load-imported-api.ts'
import { object } from '../src/upstreams/openapi/spec/read-values.ts'
import { aContext } from '../test/support/service-context.ts'
import { type Sent, problemsOf } from './apis/check-call.ts'
import {
  type DescribedOperation,
  type DescribedParameter,
  naiveTool,
  operationsOf,
} from './apis/document.ts'
import { listThroughClient } from './apis/list-through-client.ts'
import { startMock } from './apis/mock-api.ts'
import { measureNsip } from './apis/nsip.ts'
import { sampleValue } from './apis/sample-values.ts'
import { type Spec, findSpecs, readRoot } from './apis/specs.ts'

const { values: options } = parseArgs({
  options: { specs: { type: 'string' }, sample: { type: 'string', default: '40' } },
})
const home = mkdtempSync(join(tmpdir(), 'portolan-bench-'))
const mock = await startMock()
/** Longer texts are estimated: counting fifty megabytes of repeated schemas would not tell more. */
const MAX_COUNTED_LENGTH = 200_000
const CHARACTERS_PER_TOKEN = 4.2
const totals = { specs: 0, operations: 0, tools: 0, dropped: 0, callsChecked: 0, callsRight: 0 }
const rows: object[] = []

for (const spec of findSpecs(options.specs)) rows.push(await measure(spec))
console.table(rows)
const nsip = await measureNsip()
mock.close()
rmSync(home, { recursive: true })
console.log(`RESULT ${JSON.stringify({ ...totals, ...nsip })}`)
process.exit(0)

async function measure({ name, file }: Spec) {
  const root = readRoot(file)
  const operations = [...operationsOf(root)]
  const config = parseApiConfig({
    openapi: file,
    baseUrl: mock.url,
    allowPrivate: true,
    retries: 0,
  })
  const cold = await timed(async () => loadImportedApi(config, { home }))
  const warm = await timed(async () => loadImportedApi(config, { home }))
  const { tools, report } = cold.value
  const ours = tools.map(({ definition }) => countTokens(JSON.stringify(definition)))
  const naive = naiveTokens(root, operations)
  const calls = await checkCalls({ root, operations, tools, config })
  const listed = await listThroughClient(file)
  totals.specs++
  totals.operations += report.operations
  totals.tools += tools.length
  totals.dropped += report.operations - tools.length
  totals.callsChecked += calls.checked
  totals.callsRight += calls.right
  return {
    spec: name,
    dialect: report.dialect.replace('OpenAPI ', ''),
    operations: report.operations,
    tools: tools.length,
    'k tokens naive': naive,
    'k tokens ours': Math.round(sum(ours) / 1000),
    'largest tool': Math.max(...ours),
    shortened: report.shortened.length,
    'import ms': Math.round(cold.ms),
    'cached ms': Math.round(warm.ms),
    'SDK lists': listed,
    calls: `${calls.right}/${calls.checked}`,
  }
}

/** Counts the tokens of tools with inlined schemas, up to a limit: some would never end. */
function naiveTokens(root: JsonObject, operations: readonly DescribedOperation[]): number {
  let tokens = 0
  for (const operation of operations) {
    const text = JSON.stringify(naiveTool(root, operation))
    tokens +=
      text.length < MAX_COUNTED_LENGTH ? countTokens(text) : text.length / CHARACTERS_PER_TOKEN
  }
  return Math.round(tokens / 1000)
}

interface Checked {
  readonly root: JsonObject
  readonly operations: readonly DescribedOperation[]
  readonly tools: readonly ApiTool[]
  readonly config: ApiConfig
}

async function checkCalls({ root, operations, tools, config }: Checked) {
  const byPlace = new Map(tools.map((tool) => [`${tool.plan.method} ${tool.plan.path}`, tool]))
  const service = await createOpenApiService(config, { home })
  const every = Math.max(1, Math.floor(operations.length / Number(options.sample)))
  let checked = 0
  let right = 0
  for (const operation of operations.filter((_, n) => n % every === 0)) {
    const tool = byPlace.get(`${operation.method} ${operation.path}`)
    // Operations with their own server are skipped: only the mock may be called.
    if (!tool || tool.plan.server !== undefined) continue
    const { args, sent } = argumentsFor(root, operation, tool.plan)
    mock.take()
    const params = { name: tool.definition.name, arguments: args }
    const result = await service
      .handle('tools/call', params, aContext())
      .catch((error: unknown) => ({ message: String(error) }))
    const problems = await problemsOf(mock.take(), operation, sent)
    checked++
    if (problems.length === 0) right++
    else
      console.error(
        operation.method,
        operation.path,
        problems.slice(0, 3),
        object(result).message ?? '',
      )
  }
  await service.close()
  return { checked, right }
}

/** Returns values for the described parameters, under the argument names of the tool. */
function argumentsFor(
  root: JsonObject,
  { parameters, body }: DescribedOperation,
  plan: CallPlan,
): { args: JsonObject; sent: Sent } {
  const args: JsonObject = {}
  const values: [DescribedParameter, unknown][] = []
  for (const parameter of parameters) {
    const { name, in: place, raw } = parameter
    const planned = plan.parameters.find((each) => each.name === name && each.in === place)
    const [media] = Object.values(object(raw.content))
    const value = sampleValue(root, object(media).schema ?? raw.schema ?? raw)
    if (value === undefined) continue
    values.push([parameter, value])
    if (planned) args[planned.argument] = value
  }
  const content = body && (sampleValue(root, body.schema) ?? {})
  if (plan.body && content !== undefined) args[plan.body.argument] = content
  return { args, sent: { parameters: new Map(values), body: content } }
}

async function timed<T>(work: () => Promise<T>) {
  const startedAt = performance.now()
  const value = await work()
  return { value, ms: performance.now() - startedAt }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
