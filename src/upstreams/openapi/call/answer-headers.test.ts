import { expect, it } from 'vitest'
import { aSpec } from '../../../../test/support/a-spec.ts'
import { anApi } from '../../../../test/support/an-api.ts'
import type { Answer } from '../../../../test/support/http-server.ts'

const HEADERS = {
  'content-type': 'application/json',
  etag: '"v7"',
  location: '/pets/42',
  'x-copies': '3',
  'x-request-id': 'noise',
  'set-cookie': 'session=secret',
}

const promised = { headers: { 'X-Copies': {}, 'Set-Cookie': {} } }
const ifMatch = { name: 'If-Match', in: 'header', schema: { type: 'string' } }

function operation(id: string, parameters: readonly unknown[] = []) {
  return { operationId: id, parameters, responses: { 200: promised } }
}

const paths = {
  '/pets': { post: operation('create'), head: operation('count'), get: operation('list') },
}

function answers(code: number, body = ''): Answer {
  return (_, response) => {
    response.writeHead(code, HEADERS).end(body)
  }
}

it('says where a record is that was created without a body, and what the API promises', async () => {
  await using api = await anApi(answers(201), {}, aSpec(paths))
  expect(await api.call({}, 'create')).toMatchObject({
    structuredContent: {
      status: 201,
      headers: { location: '/pets/42', etag: '"v7"', 'x-copies': '3' },
    },
  })
  const { structuredContent: seen } = await api.call({}, 'create')
  expect(JSON.stringify(seen)).not.toMatch(/noise|secret/)
})

it('gives the headers that a HEAD asks for', async () => {
  await using api = await anApi(answers(200), {}, aSpec(paths))
  expect(await api.call({}, 'count')).toMatchObject({
    structuredContent: { headers: { 'content-type': 'application/json', 'x-copies': '3' } },
  })
})

it('keeps an answer with a body as it is, unless a header says where it continues', async () => {
  await using api = await anApi(answers(200, '{"id":1}'), {}, aSpec(paths))
  expect((await api.call({}, 'list'))['structuredContent']).toEqual({ id: 1 })
  await using later = await anApi(answers(202, '[1]'), {}, aSpec(paths))
  const { content } = await later.call({}, 'create')
  expect(JSON.stringify(content)).toContain('/pets/42')
})

it('gives the version of a record where the API takes versions', async () => {
  const update = { '/pets/{id}': { put: operation('update', [ifMatch]) } }
  await using api = await anApi(answers(200, '{"id":1}'), {}, aSpec({ ...paths, ...update }))
  expect((await api.call({}, 'list'))['structuredContent']).toEqual({
    id: 1,
    _headers: { etag: '"v7"' },
  })
})
