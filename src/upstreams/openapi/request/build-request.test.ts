import { expect, it } from 'vitest'
import { ExactNumber } from '../../../base/json/exact-json.ts'
import type { CallPlan, PlannedParameter } from '../tools/api-tool.ts'
import { bodyKind } from '../tools/plan-body.ts'
import { BadArguments } from './bad-arguments.ts'
import { buildRequest } from './build-request.ts'

const base = new URL('https://api.example.com/v1/')

function aParameter(overrides: Partial<PlannedParameter>): PlannedParameter {
  const name = overrides.name ?? 'x'
  const place = overrides.in ?? 'query'
  const style = place === 'query' || place === 'cookie' ? 'form' : 'simple'
  return {
    name,
    in: place,
    style,
    explode: style === 'form',
    json: false,
    argument: name,
    required: false,
    ...overrides,
  }
}

function aPlan(overrides: Partial<CallPlan>): CallPlan {
  return {
    operation: 'test',
    method: 'get',
    path: '/things',
    server: undefined,
    parameters: [],
    body: undefined,
    answers: [],
    answerHeaders: [],
    readOnly: true,
    security: [],
    open: false,
    ...overrides,
  }
}

function urlFor(parameter: Partial<PlannedParameter>, value: unknown, path = '/things'): string {
  const planned = aParameter(parameter)
  const plan = aPlan({ path, parameters: [planned] })
  const { url } = buildRequest(plan, base, { [planned.argument]: value })
  return url.pathname + url.search
}

it.each([
  [{ explode: true }, ['a,b', 'c'], '/v1/things?x=a%2Cb&x=c'],
  [{ explode: false }, ['a,b', 'c'], '/v1/things?x=a%2Cb,c'],
  [{ style: 'pipeDelimited', explode: false }, ['a', 'b'], '/v1/things?x=a%7Cb'],
  [{ style: 'spaceDelimited', explode: false }, ['a', 'b'], '/v1/things?x=a%20b'],
  [{ style: 'tabDelimited', explode: false }, ['a', 'b'], '/v1/things?x=a%09b'],
  [{ style: 'deepObject', explode: true }, { a: { b: 1 } }, '/v1/things?x%5Ba%5D%5Bb%5D=1'],
  [{ explode: true }, { r: 1, g: 2 }, '/v1/things?r=1&g=2'],
  [{ explode: false }, { r: 1, g: 2 }, '/v1/things?x=r,1,g,2'],
  [{ style: 'deepObject', explode: true }, { a: null, b: 1 }, '/v1/things?x%5Bb%5D=1'],
  [{ explode: true }, { r: null, g: 2 }, '/v1/things?g=2'],
  [{ explode: false }, { r: null, g: 2 }, '/v1/things?x=g,2'],
  [{ json: true }, { a: [1] }, '/v1/things?x=%7B%22a%22%3A%5B1%5D%7D'],
  [{}, 'a&b=c', '/v1/things?x=a%26b%3Dc'],
] as const)('writes the query parameter %o with %o as %s', (parameter, value, expected) => {
  expect(urlFor(parameter, value)).toBe(expected)
})

it.each([
  [{ style: 'simple' }, ['a', 'b'], '/v1/t/a,b'],
  [{ style: 'label', explode: true }, ['a', 'b'], '/v1/t/.a.b'],
  [{ style: 'label', explode: false }, ['a', 'b'], '/v1/t/.a,b'],
  [{ style: 'matrix', explode: true }, ['a', 'b'], '/v1/t/;x=a;x=b'],
  [{ style: 'matrix', explode: false }, { r: 1 }, '/v1/t/;x=r,1'],
  [{ style: 'simple', explode: true }, { r: 1, g: 2 }, '/v1/t/r=1,g=2'],
  [{ style: 'matrix' }, '', '/v1/t/;x'],
  [{ style: 'pipeDelimited' }, ['a', 'b'], '/v1/t/a%7Cb'],
  [{}, 'a/b?c', '/v1/t/a%2Fb%3Fc'],
] as const)('writes the path parameter %o with %o as %s', (parameter, value, expected) => {
  expect(urlFor({ in: 'path', ...parameter }, value, '/t/{x}')).toBe(expected)
})

it.each(['..', '.', ''])(
  'does not let a path argument of "%s" reach another operation',
  (value) => {
    expect(() => urlFor({ in: 'path' }, value, '/t/{x}/secret')).toThrow(BadArguments)
  },
)

it('puts headers and cookies where they belong', () => {
  const parameters = [
    aParameter({ name: 'X-Trace', in: 'header', argument: 'trace' }),
    aParameter({ name: 'X-Tags', in: 'header', style: 'pipeDelimited', argument: 'tags' }),
    aParameter({ name: 'session', in: 'cookie' }),
  ]
  const args = { trace: ['a', 'b'], tags: ['a', 'b'], session: 's 1' }
  const built = buildRequest(aPlan({ parameters }), base, args)
  expect(built.headers).toEqual({ 'X-Trace': 'a,b', 'X-Tags': 'a|b', cookie: 'session=s%201' })
})

it.each(['a\r\nHost: evil', '日本', 'a\u0001b'])(
  'refuses %j, which no header can carry',
  (value) => {
    expect(() => urlFor({ in: 'header' }, value)).toThrow(BadArguments)
  },
)

it('names every missing argument at once', () => {
  const parameters = ['a', 'b'].map((name) => aParameter({ name, required: true }))
  expect(() => buildRequest(aPlan({ parameters }), base, {})).toThrow(
    /a: .*required; b: .*required/,
  )
})

function bodyFor(contentType: string, value: unknown, encoding = {}) {
  const described = { contentType, required: true, description: '', schema: {}, encoding }
  const body = { argument: 'body', ...described, kind: bodyKind({}, described) }
  return buildRequest(aPlan({ method: 'post', body }), base, { body: value })
}

it.each([
  ['application/json', [1, 2], '[1,2]'],
  ['application/vnd.api+json', { a: 1 }, '{"a":1}'],
  ['application/x-www-form-urlencoded', { a: 'x y', b: [1, 2] }, 'a=x+y&b=1&b=2'],
  ['application/x-www-form-urlencoded', { card: { exp: { m: 1 } } }, 'card%5Bexp%5D%5Bm%5D=1'],
  ['application/x-www-form-urlencoded', { items: [{ p: 1 }] }, 'items%5B0%5D%5Bp%5D=1'],
  ['text/plain', 'hello', 'hello'],
  ['application/x-ndjson', '{"a":1}\n', '{"a":1}\n'],
  ['application/x-ndjson', [{ a: 1 }, { b: 2 }], '{"a":1}\n{"b":2}\n'],
  [
    'application/x-www-form-urlencoded',
    { a: null, b: 'x', c: { d: null, e: 1 } },
    'b=x&c%5Be%5D=1',
  ],
])('writes a body of %s from %o as %s', (contentType, value, expected) => {
  const built = bodyFor(contentType, value)
  expect(built.body).toBe(expected)
  expect(built.headers['content-type']).toBe(contentType)
})

it('writes deep form fields in the style that the description names', () => {
  const encoding = { expand: { style: 'deepObject', explode: true } }
  const built = bodyFor('application/x-www-form-urlencoded', { expand: ['a', 'b'] }, encoding)
  expect(built.body).toBe('expand%5B0%5D=a&expand%5B1%5D=b')
})

it('writes a form field as JSON where the description says so', () => {
  const encoding = { filter: { contentType: 'application/json' } }
  const value = { filter: { a: [1] }, other: { b: 2 } }
  const built = bodyFor('application/x-www-form-urlencoded', value, encoding)
  expect(built.body).toBe('filter=%7B%22a%22%3A%5B1%5D%7D&other%5Bb%5D=2')
})

it('does not send the fragment by which a description tells two operations apart', () => {
  expect(urlFor({ in: 'path' }, 'a', '/t/{x}#rename')).toBe('/v1/t/a')
})

it.each([
  [{ explode: false }, '/v1/things?x=1234567890123456789'],
  [{ explode: true }, '/v1/things?x=1234567890123456789'],
  [{ style: 'deepObject' }, '/v1/things?x=1234567890123456789'],
  [{ json: true }, '/v1/things?x=1234567890123456789'],
] as const)('writes every digit of a number with %o', (parameter, expected) => {
  expect(urlFor(parameter, new ExactNumber('1234567890123456789'))).toBe(expected)
})

it.each([
  ['application/json', '{"a":[1234567890123456789,1e400]}'],
  ['application/x-www-form-urlencoded', 'a=1234567890123456789&a=1e400'],
])('writes every digit of the numbers of a body of %s', (contentType, expected) => {
  const value = { a: [new ExactNumber('1234567890123456789'), new ExactNumber('1e400')] }
  expect(bodyFor(contentType, value).body).toBe(expected)
})

it.each([
  ['/pic?key={x}', 'a b&c', '/v1/pic?key=a%20b%26c'],
  ['/pic?key={x}&size=1', '?', '/v1/pic?key=%3F&size=1'],
])('reads %s as a path and a query', (path, value, expected) => {
  expect(urlFor({ in: 'path' }, value, path)).toBe(expected)
})

it('leaves reserved characters as they are only where the description allows it', () => {
  const value = "https://x.org/a?b=c,d;e@f:[g]!$'()*"
  expect(urlFor({ allowReserved: true }, `${value}&#+ü %`)).toBe(
    `/v1/things?x=${value.replaceAll("'", '%27')}%26%23%2B%C3%BC%20%25`,
  )
  expect(urlFor({}, 'a/b:c')).toBe('/v1/things?x=a%2Fb%3Ac')
})

it('writes an object of a form with files in the style that the description names', async () => {
  const encoding = { deep: { style: 'deepObject', explode: true }, flat: { style: 'form' } }
  const value = { deep: { a: 1, b: 2 }, flat: { c: 3 }, plain: { d: 4 } }
  const { headers, body = null } = bodyFor('multipart/form-data', value, encoding)
  const form = await new Response(body, { headers }).formData()
  expect([...form]).toEqual([
    ['deep[a]', '1'],
    ['deep[b]', '2'],
    ['c', '3'],
    ['plain', '{"d":4}'],
  ])
})

it('joins a list in a part of a form where the description does', async () => {
  const encoding = { joined: { style: 'form', explode: false } }
  const value = { joined: ['a', 'b'], apart: ['a', 'b'], none: null }
  const { headers, body = null } = bodyFor('multipart/form-data', value, encoding)
  const form = await new Response(body, { headers }).formData()
  expect([form.getAll('joined'), form.getAll('apart')]).toEqual([['a,b'], ['a', 'b']])
  expect(form.has('none')).toBe(false)
})

it('sends nothing for an argument that is not given, whatever its name', () => {
  const parameters = ['constructor', 'toString'].map((name) => aParameter({ name }))
  expect(buildRequest(aPlan({ parameters }), base, {}).url.search).toBe('')
  const given = JSON.parse('{"constructor":"Ferrari"}')
  expect(buildRequest(aPlan({ parameters }), base, given).url.search).toBe('?constructor=Ferrari')
})

it('takes for an argument only what was given, not what every object has', () => {
  const parameters = ['constructor', 'toString'].map((name) => aParameter({ name }))
  const { url } = buildRequest(aPlan({ parameters }), base, { toString: 'x' })
  expect(url.search).toBe('?toString=x')
  const plan = aPlan({ parameters: [aParameter({ name: 'constructor', required: true })] })
  expect(() => buildRequest(plan, base, {})).toThrow('constructor: a value: it is required')
})
