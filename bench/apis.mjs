/**
 * APIs as tools, measured: what public descriptions become and cost, whether calls arrive as the
 * description says, and what NSIP saves. `npm run bench:apis [-- --specs <folder>] [--sample <n>]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parse as parseYaml } from 'yaml'
import { countTokens } from '../build/shaping/tokens.js'
import { parseApiConfig } from '../build/upstreams/openapi/load/api-config.js'
import { createOpenApiService } from '../build/upstreams/openapi/create-openapi-service.js'
import { loadImportedApi } from '../build/upstreams/openapi/load/load-imported-api.js'
import { problemsOf } from './apis/check-call.mjs'
import { naiveTool, operationsOf } from './apis/document.mjs'
import { listThroughClient } from './apis/list-through-client.mjs'
import { startMock } from './apis/mock-api.mjs'
import { measureNsip } from './apis/nsip.mjs'
import { sampleValue } from './apis/sample-values.mjs'
import { findSpecs, readRoot } from './apis/specs.mjs'

const { values: options } = parseArgs({
  options: { specs: { type: 'string' }, sample: { type: 'string', default: '40' } },
})
const home = mkdtempSync(join(tmpdir(), 'portolan-bench-'))
const mock = await startMock()
const context = {
  signal: new AbortController().signal,
  agent: undefined,
  headers: {},
  project: async () => ({ path: '/', source: 'cwd' }),
  progress() {},
}
/** Longer texts are estimated: counting fifty megabytes of repeated schemas would tell no more. */
const LONGEST_COUNTED = 200_000
const CHARACTERS_PER_TOKEN = 4.2
const totals = { specs: 0, operations: 0, tools: 0, dropped: 0, callsChecked: 0, callsRight: 0 }
const rows = []

for (const spec of findSpecs(options.specs)) {
  rows.push(await measure(spec))
}
console.table(rows)
const nsip = await measureNsip()
mock.close()
rmSync(home, { recursive: true })
console.log(`RESULT ${JSON.stringify({ ...totals, ...nsip })}`)
process.exit(0)

async function measure({ name, file }) {
  const root = readRoot(file, parseYaml)
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

/** Written out to a bound: some descriptions would not end, which is the point of the column. */
function naiveTokens(root, operations) {
  let tokens = 0
  for (const operation of operations) {
    const text = JSON.stringify(naiveTool(root, operation))
    tokens += text.length < LONGEST_COUNTED ? countTokens(text) : text.length / CHARACTERS_PER_TOKEN
  }
  return Math.round(tokens / 1000)
}

async function checkCalls({ root, operations, tools, config }) {
  const byPlace = new Map(tools.map((tool) => [`${tool.plan.method} ${tool.plan.path}`, tool]))
  const service = await createOpenApiService(config, { home })
  const every = Math.max(1, Math.floor(operations.length / Number(options.sample)))
  let checked = 0
  let right = 0
  for (const operation of operations.filter((_, n) => n % every === 0)) {
    const tool = byPlace.get(`${operation.method} ${operation.path}`)
    // What has a server of its own is refused here on purpose: only the mock may be called.
    if (!tool || tool.plan.server !== undefined) continue
    const { args, sent } = argumentsFor(root, operation, tool.plan)
    mock.take()
    const params = { name: tool.definition.name, arguments: args }
    const result = await service.handle('tools/call', params, context).catch((error) => error)
    const problems = await problemsOf(mock.take(), operation, sent)
    checked++
    if (problems.length === 0) right++
    else
      console.error(operation.method, operation.path, problems.slice(0, 3), result?.message ?? '')
  }
  await service.close()
  return { checked, right }
}

/** Values for the parameters of the description, under the names that the tool gives them. */
function argumentsFor(root, operation, plan) {
  const args = {}
  const sent = { parameters: new Map(), body: undefined }
  for (const parameter of operation.parameters) {
    const planned = plan.parameters.find((p) => p.name === parameter.name && p.in === parameter.in)
    const [media] = Object.values(parameter.content ?? {})
    const value = sampleValue(root, media?.schema ?? parameter.schema ?? parameter)
    if (value === undefined) continue
    sent.parameters.set(parameter, value)
    if (planned) args[planned.argument] = value
  }
  if (operation.body) {
    sent.body = sampleValue(root, operation.body.schema) ?? {}
    if (plan.body) args[plan.body.argument] = sent.body
  }
  return { args, sent }
}

async function timed(work) {
  const startedAt = performance.now()
  const value = await work()
  return { value, ms: performance.now() - startedAt }
}

function sum(numbers) {
  return numbers.reduce((total, each) => total + each, 0)
}
