import * as fc from 'fast-check'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { LoopProbe } from './loop-probe.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

export interface HostileRequest {
  readonly method: string
  readonly params: JsonObject
}

/** Inputs that make careless code slow: stars, brackets, patterns, digits, odd characters. */
const UNITS = [
  'a',
  '*a',
  '(a+)+',
  '[',
  '{"a":',
  '../',
  '%2e',
  '\\',
  '"',
  '§1.',
  '> ',
  '*a_',
  '@,',
  '|w',
  '\u0000',
  '\uD800',
  '😀',
  '9',
  ' ',
  ';x',
]
const LENGTHS = [0, 1, 30, 1_000, 50_000, 300_000]

const hostileString = fc
  .tuple(fc.constantFrom(...UNITS), fc.constantFrom(...LENGTHS), fc.constantFrom('', 'b', '$', '!'))
  .map(([unit, length, end]) => unit.repeat(Math.ceil(length / unit.length)) + end)

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileString,
  fc.integer(),
  fc.double(),
  fc.constant(null),
  fc.boolean(),
  fc.constantFrom(30, 2_000).map(nest),
  fc.constantFrom(1_000, 60_000).map((length) => Array.from({ length }, (_, n) => ({ n }))),
  fc
    .constantFrom(1_000, 30_000)
    .map((length) => Object.fromEntries(Array.from({ length }, (_, n) => [`k${n}`, n]))),
  fc.jsonValue({ maxDepth: 4 }),
)

function nest(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** Generates arguments for a schema, mostly of the right type, so that they pass validation. */
function argumentsFor(schema: unknown): fc.Arbitrary<JsonObject> {
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {}
  const fields = Object.entries(properties).map(
    ([name, property]) => [name, valueFor(property)] as const,
  )
  const required = requiredOf(schema)
  return fc
    .record(Object.fromEntries(fields), { requiredKeys: [] })
    .chain((some) =>
      fc
        .tuple(...fields.filter(([name]) => required.has(name)).map(([, value]) => value))
        .map((values) => ({ ...some, ...zip([...required], values) })),
    )
}

function zip(names: readonly string[], values: readonly unknown[]): JsonObject {
  return Object.fromEntries(names.map((name, at) => [name, values[at]]))
}

function requiredOf(schema: unknown): ReadonlySet<string> {
  const required: unknown[] =
    isObject(schema) && Array.isArray(schema['required']) ? schema['required'] : []
  return new Set(required.map(String))
}

function valueFor(property: unknown): fc.Arbitrary<unknown> {
  const { type, enum: values } = isObject(property)
    ? property
    : { type: undefined, enum: undefined }
  const wanted: fc.Arbitrary<unknown> =
    Array.isArray(values) && values.length > 0
      ? fc.constantFrom(...(values as unknown[]))
      : type === 'string'
        ? hostileString
        : type === 'integer' || type === 'number'
          ? fc.constantFrom(0, 1, -1, 5, 1_000_000, Number.MAX_SAFE_INTEGER)
          : type === 'boolean'
            ? fc.boolean()
            : type === 'array'
              ? fc.array(hostileString, { maxLength: 3 })
              : hostileValue
  return fc.oneof({ weight: 4, arbitrary: wanted }, { weight: 1, arbitrary: hostileValue })
}

const METHODS: Readonly<Record<string, readonly string[]>> = {
  'resources/read': ['uri'],
  'resources/list': ['cursor'],
  'resources/templates/list': ['cursor'],
  'prompts/get': ['name', 'arguments'],
  'prompts/list': ['cursor'],
  'completion/complete': ['ref', 'argument'],
  'tools/list': ['cursor'],
  'server/discover': ['x'],
  ping: ['x'],
  'no/such/method': ['x'],
}

/** Generates requests to any listed tool, or to any other method, below a megabyte of text. */
export function hostileRequests(tools: readonly JsonObject[]): fc.Arbitrary<HostileRequest> {
  const calls = tools.map(({ name, inputSchema }) =>
    argumentsFor(inputSchema).map((args) => ({
      method: 'tools/call',
      params: { name, arguments: args },
    })),
  )
  const others = Object.entries(METHODS).map(([method, names]) =>
    fc.tuple(...names.map(() => hostileValue)).map((values) => ({
      method,
      params: Object.fromEntries(names.map((name, at) => [name, values[at]])),
    })),
  )
  return fc
    .oneof(
      { weight: 5, arbitrary: fc.oneof(...calls) },
      { weight: 1, arbitrary: fc.oneof(...others) },
    )
    .filter((request) => sizeOf(request) < 1_000_000)
}

function sizeOf(request: HostileRequest): number {
  return JSON.stringify(request).length
}

/** Opens a gateway with every built-in and a server with hostile schemas, and lists its tools. */
export async function openTarget(): Promise<{ rig: Rig; tools: JsonObject[] }> {
  const rig = await Rig.open({
    servers: { evil: hostile() },
    settings: {
      builtins: { traces: true, knowledge: true, code: true },
      deadlines: { callMs: 10_000 },
    },
    files: { 'docs/a.md': '# A\n\nSome words.', 'src/a.ts': 'export function abc(): void {}\n' },
  })
  await rig.call('code__index_codebase', { path: rig.folder })
  await rig.call('traces__list_tags')
  await rig.call('knowledge__knowledge_sources')
  const listed: unknown = JSON.parse((await rig.request('tools/list', {})).text)
  const result = isObject(listed) && isObject(listed['result']) ? listed['result'] : {}
  const direct = Array.isArray(result['tools']) ? result['tools'].filter(isObject) : []
  const meta = [
    'list_servers',
    'find_tools',
    'get_server_tools',
    'execute_tool',
    'read_result',
    'get_gateway_status',
  ]
  return { rig, tools: [...direct, ...meta.map((name) => ({ name, inputSchema: META_INPUT }))] }
}

const META_INPUT = {
  properties: {
    server: { enum: ['evil', 'code', 'nobody'] },
    tool: { type: 'string' },
    args: {},
    query: { type: 'string' },
    pattern: { type: 'string' },
    names: { type: 'array' },
    handle: { type: 'string' },
    select: { type: 'string' },
    grep: { type: 'string' },
  },
}

/** Returns the longest time that one request blocked the main thread, in ms of processor time. */
export async function blockedBy(rig: Rig, { method, params }: HostileRequest): Promise<number> {
  const probe = LoopProbe.start(rig)
  await rig.request(method, params, { timeoutMs: 60_000 }).catch(() => undefined)
  return probe.stop()
}
