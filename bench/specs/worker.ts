/** Imports the descriptions it receives, one after the other, and calls some of their tools. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse as parseYaml } from 'yaml'
import type { JsonObject } from '../../src/base/json/json.ts'
import { checkArguments } from '../../src/gateway/validation/check-arguments.ts'
import { createOpenApiService } from '../../src/upstreams/openapi/create-openapi-service.ts'
import { type ApiConfig, parseApiConfig } from '../../src/upstreams/openapi/load/api-config.ts'
import { loadImportedApi } from '../../src/upstreams/openapi/load/load-imported-api.ts'
import type { ApiTool } from '../../src/upstreams/openapi/tools/api-tool.ts'
import { aContext } from '../../test/support/service-context.ts'
import { listen } from '../support/listen.ts'
import type { SpecReport } from './report.ts'
import { type ReadOperation, type ReadParameter, Reading, isRecord, record } from './reading.ts'
import { merged, sample, typeOf } from './samples.ts'
import { isBytes, isFileType } from './wire-body.ts'
import type { Arrived } from './wire-pairs.ts'
import { differences } from './wire.ts'

const arrived: Arrived[] = []
const echo = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { method = '', url = '', headers } = request
    const flat = Object.entries(headers).map(([name, value]) => [name, value?.toString()])
    const body = Buffer.concat(chunks)
    arrived.push({ method, url, headers: Object.fromEntries(flat), body })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
})
/** The import cache, from which calls read. */
const home = mkdtempSync(join(tmpdir(), 'portolan-specs-'))
process.on('disconnect', () => {
  rmSync(home, { recursive: true, force: true })
  process.exit()
})
const baseUrl = `${await listen(echo)}/base`

process.on('message', (message) => {
  const { file, calls } = record(message)
  void measure(String(file), Number(calls)).then((report) => process.send?.(report))
})
process.send?.('ready')

async function measure(file: string, calls: number): Promise<SpecReport> {
  const report: SpecReport = { file, ...EMPTY, problems: [], lost: [] }
  const config = parseApiConfig({ openapi: file, baseUrl, allowPrivate: true, retries: 0 })
  const startedAt = performance.now()
  try {
    const api = await loadImportedApi(config, { home })
    report.importMs = performance.now() - startedAt
    report.rssMb = process.resourceUsage().maxRSS / 1024
    report.tools = api.tools.length
    report.reported = api.report.dropped.length
    const reading = new Reading(readRoot(file))
    const byPlace = new Map(
      api.tools.map((tool) => [`${tool.plan.method} ${tool.plan.path}`, tool]),
    )
    const dropped = new Set(api.report.dropped.map(({ where }) => where))
    const operations = [...reading.operations()]
    report.operations = operations.length
    for (const operation of operations) noteLost(operation, byPlace, dropped, report)
    const every = Math.max(1, Math.ceil(operations.length / calls))
    const chosen = operations.filter((_, index) => index % every === 0)
    await call({ reading, operations: chosen, byPlace, config }, report)
  } catch (error) {
    report.refused = error instanceof Error ? error.message : String(error)
  }
  return report
}

const EMPTY = {
  operations: 0,
  tools: 0,
  reported: 0,
  importMs: 0,
  rssMb: 0,
  called: 0,
  exact: 0,
  unsampled: 0,
}

function readRoot(file: string) {
  const text = readFileSync(file, 'utf8')
  const parsed: unknown = text.trimStart().startsWith('{')
    ? JSON.parse(text)
    : parseYaml(text, { strict: false, uniqueKeys: false, maxAliasCount: -1 })
  return record(parsed)
}

/** Records what the description has but neither a tool nor the import report mentions. */
function noteLost(
  { method, path, parameters, bodies }: ReadOperation,
  byPlace: ReadonlyMap<string, ApiTool>,
  dropped: ReadonlySet<string>,
  { lost }: SpecReport,
): void {
  const where = `${method.toUpperCase()} ${path}`
  const plan = byPlace.get(`${method} ${path}`)?.plan
  if (!plan) {
    if (!dropped.has(where)) lost.push(where)
    return
  }
  const known = new Set(plan.parameters.map((one) => `${one.in} ${one.name}`))
  for (const { place, name } of parameters)
    if (!known.has(`${place} ${name}`)) lost.push(`${where}: ${place} ${name}`)
  if (bodies.length > 0 && !plan.body) lost.push(`${where}: body`)
}

interface Called {
  readonly reading: Reading
  readonly operations: readonly ReadOperation[]
  readonly byPlace: ReadonlyMap<string, ApiTool>
  readonly config: ApiConfig
}

async function call(
  { reading, operations, byPlace, config }: Called,
  report: SpecReport,
): Promise<void> {
  const service = await createOpenApiService(config, { home })
  for (const operation of operations) {
    const tool = byPlace.get(`${operation.method} ${operation.path}`)
    // Only the echo server may be called, so operations with their own server are skipped.
    if (!tool || tool.plan.server !== undefined) continue
    const given = argumentsFor(reading, operation, tool)
    if (!given) {
      report.unsampled++
      continue
    }
    arrived.length = 0
    report.called++
    const failure = await attempt(tool, given.args, service)
    const found =
      failure === undefined
        ? await differences(reading, operation, given.given, arrived[0])
        : [failure]
    if (found.length === 0) report.exact++
    else
      report.problems.push(
        `${operation.method} ${operation.path}: ${found.join('; ')}`.slice(0, 400),
      )
  }
  await service.close()
}

type Service = Awaited<ReturnType<typeof createOpenApiService>>

/** Validates the arguments as the gateway does, then makes the call. */
async function attempt({ definition }: ApiTool, args: JsonObject, service: Service) {
  const checked = await checkArguments(record(definition.inputSchema), args)
  const [first] = checked.errors
  if (first) return `refused: ${first.instancePath} ${first.message}`
  const params = { name: definition.name, arguments: checked.arguments }
  const result = await service
    .handle('tools/call', params, aContext())
    .catch((error: unknown) => ({ isError: true, text: String(error) }))
  const failed = isRecord(result) && result.isError === true
  return failed ? `failed: ${JSON.stringify(result).slice(0, 200)}` : undefined
}

/** Returns values for all parameters and the body; undefined if a required one has no sample. */
function argumentsFor(reading: Reading, operation: ReadOperation, { plan }: ApiTool) {
  const args: Record<string, unknown> = {}
  const values = new Map<ReadParameter, unknown>()
  for (const parameter of operation.parameters) {
    const { place, name, required } = parameter
    const value = parameterValue(reading, parameter)
    if (value === undefined && required) return undefined
    if (value === undefined) continue
    const planned = plan.parameters.find((one) => one.name === name && one.in === place)
    values.set(parameter, value)
    if (planned) args[planned.argument] = value
  }
  const body = bodyFor(reading, operation, plan.body?.contentType ?? '')
  if (body === NO_SAMPLE) return undefined
  if (plan.body && body !== undefined) args[plan.body.argument] = body
  return { args, given: { values, body } }
}

function parameterValue(reading: Reading, { place, isJson, schema }: ReadParameter): unknown {
  const isAscii = place === 'header' || place === 'cookie'
  return sample(reading, schema, { isAscii, ...(!isJson && { flatBelow: 0 }) })
}

const NO_SAMPLE = Symbol('no sample')

function bodyFor(reading: Reading, { bodies }: ReadOperation, chosen: string): unknown {
  const media = bodies.find((one) => one.type === chosen) ?? bodies[0]
  if (!media) return undefined
  const { type, schema } = media
  const isForm = /urlencoded/i.test(type)
  if (!/^multipart\//i.test(type) && !/json/i.test(type) && isBytes(reading, media))
    return Buffer.from([0, 1, 255]).toString('base64')
  // A form must be an object; the encoding of anything else is not defined.
  if (isForm && typeOf(merged(reading, schema, 0)) !== 'object') return NO_SAMPLE
  const hasFiles = /^multipart\//i.test(type)
  const value = sample(reading, schema, { ...(isForm && { flatBelow: 1 }), hasFiles })
  if (!hasFiles || !isRecord(value)) return value ?? NO_SAMPLE
  const files = Object.keys(value).filter((name) => isFileType(media.encoding[name]))
  return { ...value, ...Object.fromEntries(files.map((name) => [name, 'AAH/iQo='])) }
}
