import { symlinkSync } from 'node:fs'
import { expect, it } from 'vitest'
import { aSpec } from '../../../../test/support/a-spec.ts'
import { anApi, fine } from '../../../../test/support/an-api.ts'
import type { SeenRequest } from '../../../../test/support/http-server.ts'
import { aContext } from '../../../../test/support/service-context.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import type { JsonObject } from '../../../base/json/json.ts'

const responses = { 200: { description: 'fine' } }
const BYTES = Buffer.from([0, 255, 137, 80, 78, 71, 13, 10])

function upload(contentType: string, schema: JsonObject, more: JsonObject = {}): JsonObject {
  const requestBody = { required: true, content: { [contentType]: { schema, ...more } } }
  return aSpec({ '/files': { post: { operationId: 'upload', requestBody, responses } } })
}

function multipart(file: JsonObject, more: JsonObject = {}): JsonObject {
  const properties = { file, title: { type: 'string' }, meta: { type: 'object' } }
  return upload('multipart/form-data', { type: 'object', properties }, more)
}

/** Reads a form with the parser of Node. */
async function formOf(request: SeenRequest | undefined): Promise<FormData> {
  const headers = { 'content-type': request?.headers['content-type'] ?? '' }
  const body = request?.bytes ?? null
  return new Request('http://loopback', { method: 'POST', headers, body }).formData()
}

async function fileOf(form: FormData, name = 'file') {
  const file = form.get(name)
  if (!(file instanceof File)) throw new Error(`${name} came as text`)
  return { name: file.name, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) }
}

const swagger2 = {
  swagger: '2.0',
  info: { title: 'Test', version: '1' },
  host: 'api.example.com',
  paths: {
    '/files': {
      post: {
        operationId: 'upload',
        consumes: ['multipart/form-data'],
        parameters: [
          { name: 'file', in: 'formData', type: 'file', required: true },
          { name: 'title', in: 'formData', type: 'string' },
        ],
        responses,
      },
    },
  },
}

it.each([
  ['OpenAPI 3.0 format: binary', multipart({ type: 'string', format: 'binary' })],
  ['OpenAPI 3.0 format: byte', multipart({ type: 'string', format: 'byte', maxLength: 8 })],
  ['OpenAPI 3.1 contentMediaType', multipart({ contentMediaType: 'application/octet-stream' })],
  ['Swagger 2 type: file', swagger2],
])('sends base64 as a file, with a name and a type: %s', async (_, spec) => {
  await using api = await anApi(fine, {}, spec)
  const body = { file: BYTES.toString('base64'), title: 'aGVsbG8=' }
  expect(await api.call({ body }, 'upload')).not.toHaveProperty('isError')
  const form = await formOf(api.server.seen[0])
  const type = 'application/octet-stream'
  expect(await fileOf(form)).toEqual({ name: 'file', type, bytes: BYTES })
  // Text that looks like base64 stays text where the description asks for text.
  expect(form.get('title')).toBe('aGVsbG8=')
})

it.each([
  ['a type', { type: 'string' }],
  ['nothing', {}],
  ['a list', { type: 'array', items: {} }],
])('sends a part as a file whose type is an image, where its schema says %s', async (_, file) => {
  const encoding = { file: { contentType: 'image/png, image/jpeg' } }
  await using api = await anApi(
    fine,
    {},
    multipart({ ...file, description: 'Photo' }, { encoding }),
  )
  const { tools } = await api.service.handle('tools/list', {}, aContext())
  expect(JSON.stringify(tools)).toMatch(/Photo.*\(file: base64/)
  const bytes = BYTES.toString('base64')
  await api.call({ body: { file: 'items' in file ? [bytes] : bytes } }, 'upload')
  const sent = await fileOf(await formOf(api.server.seen[0]))
  expect(sent).toEqual({ name: 'file', type: 'image/png', bytes: BYTES })
})

it('sends a form of parts where one schema with a file stands under several types', async () => {
  const file = { type: 'string', format: 'binary' }
  const schema = { type: 'object', properties: { file } }
  const types = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data']
  const content = Object.fromEntries(types.map((type) => [type, { schema }]))
  const operation = { operationId: 'upload', requestBody: { content }, responses }
  await using api = await anApi(fine, {}, aSpec({ '/files': { post: operation } }))
  await api.call({ body: { file: BYTES.toString('base64') } }, 'upload')
  expect(await fileOf(await formOf(api.server.seen[0]))).toMatchObject({ bytes: BYTES })
})

it('sends a file with the type that OpenAPI 3.1 gives it', async () => {
  await using api = await anApi(fine, {}, multipart({ contentMediaType: 'application/pdf' }))
  await api.call({ body: { file: BYTES.toString('base64') } }, 'upload')
  expect(await fileOf(await formOf(api.server.seen[0]))).toMatchObject({ type: 'application/pdf' })
})

it('finds the file of a form that has alternatives', async () => {
  const file = { type: 'object', properties: { file: { type: 'string', format: 'binary' } } }
  const link = { type: 'object', properties: { url: { type: 'string' } } }
  await using api = await anApi(fine, {}, upload('multipart/form-data', { oneOf: [file, link] }))
  await api.call({ body: { file: BYTES.toString('base64') } }, 'upload')
  expect(await fileOf(await formOf(api.server.seen[0]))).toMatchObject({ bytes: BYTES })
})

it('writes a part as XML where the description says so, and names one type of several', async () => {
  const history = {
    type: 'object',
    properties: { on: { type: 'string', xml: { attribute: true } } },
  }
  const schema = { type: 'object', properties: { history, note: { type: 'string' } } }
  const encoding = {
    history: { contentType: 'application/xml; charset=utf-8' },
    note: { contentType: 'text/plain, text/markdown' },
  }
  await using api = await anApi(fine, {}, upload('multipart/form-data', schema, { encoding }))
  await api.call({ body: { history: { on: 'Monday', of: 'a<b' }, note: 'x' } }, 'upload')
  const body = api.server.seen[0]?.body
  expect(body).toContain('<history on="Monday"><of>a&lt;b</of></history>')
  expect(body).toContain('content-type: text/plain\r\n\r\nx')
})

it.each([
  ['*/*', { type: 'object' }, { a: 1 }, ['application/json', '{"a":1}']],
  ['application/*', { type: 'object' }, { a: 1 }, ['application/json', '{"a":1}']],
  ['application/*+json', { type: 'object' }, { a: 1 }, ['application/json', '{"a":1}']],
  ['text/*', { type: 'string' }, 'hi', ['text/plain', 'hi']],
  ['*/*', { type: 'string', format: 'binary' }, 'aGk=', ['application/octet-stream', 'hi']],
])('sends a body of %s with a type of its own', async (type, schema, value, expected) => {
  await using api = await anApi(fine, {}, upload(type, schema))
  await api.call({ body: value }, 'upload')
  const [sent] = api.server.seen
  expect([sent?.headers['content-type'], sent?.body]).toEqual(expected)
})

it('takes name and type of a data: URL, and sends every file of a list', async () => {
  const list = { type: 'array', items: { type: 'string', format: 'binary' } }
  await using api = await anApi(fine, {}, multipart(list))
  const png = `data:image/png;name=a%20b.png;base64,${BYTES.toString('base64')}`
  const body = { file: [png, 'data:text/csv,a;b%0A'], title: 'Über', meta: { a: 1 } }
  await api.call({ body }, 'upload')
  const form = await formOf(api.server.seen[0])
  const [first, second] = form.getAll('file')
  expect(first).toMatchObject({ name: 'a b.png', type: 'image/png', size: BYTES.length })
  expect(second).toMatchObject({ name: 'file', type: 'text/csv', size: 4 })
  expect(form.get('title')).toBe('Über')
  expect(form.get('meta')).toBe('{"a":1}')
})

it('sends what the encoding of the description says a part is', async () => {
  const encoding = { file: { contentType: 'image/png, image/jpeg' } }
  await using api = await anApi(
    fine,
    {},
    multipart({ type: 'string', format: 'binary' }, { encoding }),
  )
  const data = BYTES.toString('base64')
  await api.call({ body: { file: `data:image/jpeg;base64,${data}` } }, 'upload')
  await api.call({ body: { file: data } }, 'upload')
  const types = api.server.seen.map(async (seen) => (await fileOf(await formOf(seen))).type)
  expect(await Promise.all(types)).toEqual(['image/jpeg', 'image/png'])
})

it.each([
  ['application/octet-stream', { type: 'string', format: 'binary' }],
  ['application/octet-stream', {}],
  ['image/png', { contentMediaType: 'image/png' }],
])('sends a whole body of %s as bytes', async (contentType, schema) => {
  await using api = await anApi(fine, {}, upload(contentType, schema))
  await api.call({ body: BYTES.toString('base64') }, 'upload')
  expect(api.server.seen[0]?.bytes).toEqual(BYTES)
  expect(api.server.seen[0]?.headers['content-type']).toBe(contentType)
})

it('refuses what is no file instead of sending other bytes', async () => {
  await using api = await anApi(fine, {}, multipart({ type: 'string', format: 'binary' }))
  const result = await api.call({ body: { file: 'hello, world' } }, 'upload')
  expect(result).toMatchObject({ isError: true })
  expect(JSON.stringify(result)).toContain('body.file: a file: its bytes as base64, a data: URL')
  expect(api.server.seen).toHaveLength(0)
})

async function aFolderApi() {
  const folder = tempFolder()
  folder.write('inside/report.csv', 'a;b')
  folder.write('outside/secret.txt', 'secret')
  symlinkSync(folder.file('outside/secret.txt'), folder.file('inside/link.txt'))
  const spec = multipart({ type: 'string', format: 'binary' })
  const api = await anApi(fine, {}, spec)
  const project = async () => ({ path: folder.file('inside'), source: 'roots' as const })
  const send = async (file: string, context = aContext({ project })) =>
    api.call({ body: { file } }, 'upload', context)
  return { folder, api, project, send, [Symbol.asyncDispose]: api[Symbol.asyncDispose] }
}

it('reads a path below the roots of a local client', async () => {
  await using at = await aFolderApi()
  const path = at.folder.file('inside/report.csv')
  for (const file of [path, `file://${path}`, './report.csv', 'report.csv']) await at.send(file)
  for (const seen of at.api.server.seen) {
    expect(await fileOf(await formOf(seen))).toEqual({
      name: 'report.csv',
      type: 'text/csv',
      bytes: Buffer.from('a;b'),
    })
  }
  expect(at.api.server.seen).toHaveLength(4)
})

it('reads a file whose name has spaces', async () => {
  await using at = await aFolderApi()
  at.folder.write('inside/My report 1.csv', 'c;d')
  await at.send('My report 1.csv')
  expect(await fileOf(await formOf(at.api.server.seen[0]))).toMatchObject({
    name: 'My report 1.csv',
    bytes: Buffer.from('c;d'),
  })
})

it('reads no path outside the roots, by a link, or for a client elsewhere', async () => {
  await using at = await aFolderApi()
  const path = at.folder.file('inside/report.csv')
  const refused = [
    await at.send(at.folder.file('outside/secret.txt')),
    await at.send('../outside/secret.txt'),
    await at.send('./link.txt'),
    await at.send('./missing.txt'),
    await at.send(path, aContext({ project: at.project, isRemote: true })),
    // Where the gateway was started says nothing about what an agent may read.
    await at.send(path, aContext({ project: async () => ({ path: '/', source: 'cwd' }) })),
  ]
  for (const result of refused) expect(result).toMatchObject({ isError: true })
  expect(at.api.server.seen).toHaveLength(0)
})

it('reads a path below a folder of the configuration', async () => {
  const folder = tempFolder()
  const path = folder.write('report.csv', 'a;b')
  const spec = multipart({ type: 'string', format: 'binary' })
  await using api = await anApi(fine, { uploadFrom: [folder.path] }, spec)
  expect(await api.call({ body: { file: path } }, 'upload')).not.toHaveProperty('isError')
  expect(await fileOf(await formOf(api.server.seen[0]))).toMatchObject({ name: 'report.csv' })
})

it('reads a file whose path could also be base64, and takes the rest as base64', async () => {
  const folder = tempFolder()
  const name = 'x'.repeat(4 + ((4 - ((folder.path.length + 1) % 4)) % 4))
  const path = folder.write(name, 'the file')
  const spec = upload('application/octet-stream', { type: 'string', format: 'binary' })
  await using api = await anApi(fine, { uploadFrom: [folder.path] }, spec)
  for (const body of [path, '/9j/4AAQ']) await api.call({ body }, 'upload')
  expect(api.server.seen[0]?.body).toContain('the file')
  expect(api.server.seen[1]?.bytes).toEqual(Buffer.from('/9j/4AAQ', 'base64'))
})
