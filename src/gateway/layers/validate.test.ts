import { describe, expect, it } from 'vitest'
import { aCall, anUpstream } from '../../../test/support/a-call.ts'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { countTokens } from '../../shaping/tokens.ts'
import type { RefusedArguments, ResultRules } from '../../protocol/service.ts'
import type { Authorized, CallResult } from '../call.ts'
import { GatewayError } from '../errors.ts'
import { toToolError } from '../../surfaces/failure.ts'
import { createPolicy } from '../agents/policy.ts'
import { validate } from './validate.ts'
import { MUTATING } from '../../../test/support/mutating.ts'

const OPEN = createPolicy(undefined)
const schema: JsonObject = {
  type: 'object',
  required: ['owner', 'title', 'count'],
  additionalProperties: false,
  properties: {
    owner: { type: 'string' },
    title: { type: 'string' },
    count: { type: 'integer', minimum: 1, maximum: 100 },
    labels: { type: 'array', items: { type: 'string' } },
    state: { enum: ['OPEN', 'CLOSED'] },
    filter: { type: 'object', properties: { since: { type: 'string' } } },
    either: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
  },
}

async function send(args: JsonObject, inputSchema: unknown = schema) {
  let sent: unknown
  const layer = validate(OPEN)(async (call): Promise<CallResult> => {
    sent = call.params['arguments']
    return { content: [], _meta: { own: 1 } }
  })
  const tool = { server: 'gh', name: 'create_issue', definition: { inputSchema }, readOnly: false }
  const call = aCall({ tool, params: { name: 'create_issue', arguments: args } })
  return { result: await (async () => layer(call))().catch((error: unknown) => error), sent }
}

async function failure(args: JsonObject, inputSchema: unknown = schema): Promise<JsonObject> {
  const { result } = await send(args, inputSchema)
  return result instanceof GatewayError ? result.toObject() : {}
}

const fine = { owner: 'a', title: 't', count: 2 }

describe('arguments', () => {
  it('that are valid leave as the very object that came', async () => {
    const args = { ...fine, labels: ['x'] }
    const { sent, result } = await send(args)
    expect(sent).toBe(args)
    expect(result).toEqual({ content: [], _meta: { own: 1 } })
  })

  it('that are no object, or of no known schema, are left to the upstream', async () => {
    const handle = validate(OPEN)(async ({ params }) => ({ sent: params['arguments'] }))
    const tool = { server: 'gh', name: 't', definition: { inputSchema: schema }, readOnly: false }
    const call = (parts: Partial<Authorized>, args: unknown) =>
      handle(aCall({ tool, params: { name: 't', arguments: args }, ...parts }))
    expect(await call({}, 'all')).toEqual({ sent: 'all' })
    for (const other of [undefined, { ...tool, definition: {} }])
      expect(await call({ tool: other }, { count: 'many' })).toEqual({ sent: { count: 'many' } })
    await expect(async () => call({}, { count: 'many' })).rejects.toThrow(GatewayError)
  })

  it('have all their problems told at once, with near names and an example', async () => {
    const error = await failure({ ownr: 'a', count: 'many', state: 'OPNE', filter: 3 })
    expect(error).toMatchObject({ code: 'INVALID_PARAMS', retryable: false })
    expect(error['problems']).toEqual(
      expect.arrayContaining([
        {
          path: 'owner',
          expected: 'string',
          got: 'nothing',
          did_you_mean: 'owner instead of ownr',
        },
        { path: 'title', expected: 'string', got: 'nothing' },
        { path: 'ownr', expected: 'no such field', got: '"a"', did_you_mean: 'owner' },
        { path: 'count', expected: 'integer 1..100', got: '"many"' },
        { path: 'state', expected: 'one of "OPEN", "CLOSED"', got: '"OPNE"', did_you_mean: 'OPEN' },
        { path: 'filter', expected: 'object', got: '3' },
      ]),
    )
    expect(countTokens(JSON.stringify(error))).toBeLessThanOrEqual(250)
  })

  it('come with an example call that is itself valid', async () => {
    const error = await failure({ owner: 'ada', count: 'many' })
    expect(error['example']).toEqual({ owner: 'ada', title: '…', count: 1 })
    const { result } = await send(isObject(error['example']) ? error['example'] : {})
    expect(result).not.toBeInstanceOf(GatewayError)
  })

  it('are coerced where nothing is lost, and the result says so', async () => {
    const { sent, result } = await send({
      ...fine,
      count: '7',
      title: 12,
      labels: 'bug',
      state: 'open',
      filter: '{"since":"2026"}',
      either: 'true',
    })
    expect(sent).toEqual({
      ...fine,
      count: 7,
      title: '12',
      labels: ['bug'],
      state: 'OPEN',
      filter: { since: '2026' },
      either: true,
    })
    const coerced = expect.arrayContaining(['count: "7" → 7', 'either: "true" → true'])
    expect(result).toMatchObject({ _meta: { own: 1, 'portolan/coerced': coerced } })
  })

  it.each(['007', '1e3', '3.5', '', 'many', '9007199254740993'])(
    'are not guessed at: %s is no integer',
    async (count) => {
      expect(await failure({ ...fine, count })).toMatchObject({ code: 'INVALID_PARAMS' })
    },
  )

  it('with very many problems still give a short error, with their number', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`unknown_field_number_${i}`, 'x'.repeat(100)]),
    )
    const error = await failure(many)
    expect(error['problems_total']).toBe(63)
    expect(countTokens(JSON.stringify(error))).toBeLessThanOrEqual(250)
  })

  const doubling = {
    ...schema,
    properties: { owner: { $ref: '#/$defs/a0' } },
    $defs: Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `a${i}`,
        { anyOf: [{ $ref: `#/$defs/a${i + 1}` }, { $ref: `#/$defs/a${i + 1}` }] },
      ]),
    ),
  }
  it.each([
    ['refers to another machine', { $ref: 'https://example.com/schema.json' }],
    ['does not compile', { type: 'object', properties: { a: { $ref: '#/nowhere' } } }],
    ['has no type that exists', { type: 'thing' }],
    ['unfolds without end', doubling],
    ['is enormous', { ...schema, description: 'x'.repeat(100_000) }],
    ['refers to itself', { $ref: '#' }],
  ])('are left to the upstream when its schema %s', async (_, inputSchema) => {
    const { sent } = await send({ anything: 1 }, inputSchema)
    expect(sent).toEqual({ anything: 1 })
  })

  it.skipIf(MUTATING)(
    'are not held up by a value that is wrong at every one of its 2,000 levels',
    async () => {
      let value: unknown = 1
      for (let level = 0; level < 2_000; level++) value = [value]
      const recursive = {
        type: 'object',
        properties: { value: { $ref: '#/$defs/n' } },
        $defs: {
          n: { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/n' } }] },
        },
      }
      await send({ value: 'warm' }, recursive)
      const before = process.cpuUsage()
      const { result } = await send({ value }, recursive)
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1_000).toBeLessThan(1_500)
      const shown = result instanceof GatewayError ? toToolError(result) : result
      expect(JSON.stringify(shown).length).toBeLessThan(100_000)
    },
  )

  it('are not held up by a pattern that never ends', async () => {
    const inputSchema = {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^(a+)+$' } },
    }
    const started = performance.now()
    await send({ a: `${'a'.repeat(40)}!` }, inputSchema)
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  it('that a schema ignores are named when they look like ones it knows and the call is wrong anyway', async () => {
    const open = { ...schema, additionalProperties: true, required: [] }
    expect(await failure({ owners: 'a', count: 'many', mine: 1 }, open)).toMatchObject({
      problems: [{ path: 'count' }, { path: 'owners', did_you_mean: 'owner' }],
    })
    expect((await send({ owners: 'a' }, open)).sent).toEqual({ owners: 'a' })
  })

  it('may follow either dialect of JSON Schema', async () => {
    const draft7 = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] } },
    }
    expect(await failure({ pair: ['a', {}] }, draft7)).toMatchObject({
      problems: [{ path: 'pair[1]', expected: 'integer' }],
    })
    const draft2020 = {
      type: 'object',
      properties: {
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
      },
    }
    expect(await failure({ pair: ['a', {}] }, draft2020)).toMatchObject({
      problems: [{ path: 'pair[1]', expected: 'integer' }],
    })
  })
})

/** A tool whose server says how its arguments are treated. */
async function sendRuled(args: JsonObject, rules: ResultRules, inputSchema = schema) {
  const upstream = anUpstream({ inProcess: { rules: () => rules } })
  const tool = { server: 's', name: 't', definition: { inputSchema }, readOnly: true }
  const layer = validate(OPEN)(async ({ params }) => ({ sent: params['arguments'] }))
  const calling = async () =>
    layer(aCall({ tool, upstream, params: { name: 't', arguments: args } }))
  return calling().catch((error: unknown) => error)
}

function inItsOwnForm({ tool, problems }: RefusedArguments) {
  return { content: [`${tool}: ${problems.map(({ path }) => path).join()}`], isError: true }
}

it('answers in the form of its contract where a tool has one for wrong arguments', async () => {
  const error = await sendRuled({ ...fine, count: 'many' }, { refuse: inItsOwnForm })
  expect(error instanceof GatewayError && toToolError(error)).toEqual({
    content: ['t: count'],
    isError: true,
  })
})

it('refuses what a closed tool could only lose in silence, with the name that was meant', async () => {
  const open = { ...schema, additionalProperties: true }
  const closed = { closed: true }
  expect(await sendRuled({ ...fine, stat: 'OPEN', x: 1 }, closed, open)).toMatchObject({
    details: {
      data: {
        problems: [
          { path: 'stat', expected: 'no such field', did_you_mean: 'state' },
          { path: 'x', expected: 'no such field', got: '1' },
        ],
      },
    },
  })
  expect(await sendRuled(fine, closed, open)).toEqual({ sent: fine })
  expect(await sendRuled({ ...fine, x: 1 }, {}, open)).toEqual({ sent: { ...fine, x: 1 } })
})

it('puts a field of the body that was given beside it where it belongs, if there is one place', async () => {
  const pet = { type: 'object', properties: { name: { type: 'string' }, tag: {} } }
  const one = { type: 'object', properties: { id: {}, body: pet }, required: ['body'] }
  const two = { type: 'object', properties: { body: pet, other: pet } }
  const closed = { closed: true }
  expect(await sendRuled({ id: 1, name: 'Rex' }, closed, one)).toEqual({
    _meta: { 'portolan/coerced': ['body.name: nothing → "Rex"'] },
    sent: { id: 1, body: { name: 'Rex' } },
  })
  expect(await sendRuled({ name: 'Rex', body: { tag: 1 } }, closed, one)).toMatchObject({
    sent: { body: { name: 'Rex', tag: 1 } },
  })
  // Two places, a place that is taken, no place, and a tool that takes what it does not name.
  for (const [args, ambiguous] of [
    [{ name: 'Rex' }, two],
    [{ name: 'Rex', body: { name: 'Max' } }, one],
    [{ colour: 'red', body: {} }, one],
  ] as const) {
    expect(await sendRuled(args, closed, ambiguous)).toMatchObject({ code: 'INVALID_PARAMS' })
  }
  expect(await sendRuled({ name: 'Rex', body: {} }, {}, one)).toEqual({
    sent: { name: 'Rex', body: {} },
  })
})

it('takes null for an optional argument as none, and for a required one as missing', async () => {
  const { sent, result } = await send({ ...fine, state: null, labels: null })
  expect(JSON.parse(JSON.stringify(sent))).toEqual(fine)
  expect(result).toMatchObject({ _meta: { 'portolan/coerced': expect.any(Array) } })
  expect(await failure({ ...fine, owner: null })).toMatchObject({ problems: [{ path: 'owner' }] })
})

function given(text: string): JsonObject {
  const args = parseExact(text)
  if (!isObject(args)) throw new Error('no object')
  return args
}

describe('numbers that a double cannot hold', () => {
  const ID = '1234567890123456789'
  const open = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      name: { type: 'string' },
      limit: { type: 'integer' },
      ids: { type: 'array', items: { type: 'integer' } },
      filter: { type: 'object' },
      size: { type: 'number', maximum: 10 },
    },
  }

  it('are checked as numbers and leave as the very object that came', async () => {
    const args = given(`{"id":${ID},"ids":[${ID},1]}`)
    expect((await send(args, open)).sent).toBe(args)
  })

  it.each([
    [`{"id":${ID},"limit":"7"}`, `{"id":${ID},"limit":7}`],
    [`{"name":${ID}}`, `{"name":"${ID}"}`],
    [`{"ids":${ID}}`, `{"ids":[${ID}]}`],
    [`{"id":${ID},"ids":"[${ID},2]"}`, `{"id":${ID},"ids":[${ID},2]}`],
    [`{"id":${ID},"filter":"{\\"a\\":[${ID}]}"}`, `{"id":${ID},"filter":{"a":[${ID}]}}`],
    [`{"filter":{"a":{"b":${ID}}},"limit":"7"}`, `{"filter":{"a":{"b":${ID}}},"limit":7}`],
  ])('keep their digits where arguments are read differently: %s', async (text, expected) => {
    expect(stringifyExact((await send(given(text), open)).sent)).toBe(expected)
  })

  it('are refused by the limits of the schema, and shown as they were given', async () => {
    const { problems, example } = await failure(given(`{"size":1e400,"id":${ID}}`), open)
    expect(problems).toMatchObject([{ path: 'size', expected: 'number <= 10' }])
    expect(stringifyExact(example)).toContain(`"id":${ID}`)
  })
})
