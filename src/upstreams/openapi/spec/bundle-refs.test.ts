import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { aSpec } from '../../../../test/support/a-spec.ts'
import { serveHttp } from '../../../../test/support/http-server.ts'
import { aContext } from '../../../../test/support/service-context.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { createOpenApiService } from '../create-openapi-service.ts'
import { externalRefs } from './bundle-refs.ts'

function specWith(ref: string) {
  const requestBody = { content: { 'application/json': { schema: { $ref: ref } } } }
  return aSpec({ '/a': { post: { operationId: 'a', requestBody, responses: {} } } })
}

it('does not follow external references unless asked, and says so', async () => {
  await using server = await serveHttp((_, response) => response.end('{}'))
  const folder = tempFolder()
  const openapi = folder.write('spec.json', specWith(`${server.url}/evil.json`))
  const service = await createOpenApiService({ openapi, allowPrivate: true })
  expect(service.report.dropped).toEqual([
    { where: `${server.url}/evil.json`, why: expect.stringContaining('externalRefs') },
  ])
  expect(server.seen).toHaveLength(0)
})

it.each(['/etc/passwd', '../outside.json', 'file:///etc/hostname', 'http://169.254.169.254/x'])(
  'refuses the reference %s even when neighbours are allowed',
  async (ref) => {
    const outer = tempFolder()
    outer.write('outside.json', {})
    const folder = tempFolder()
    const openapi = folder.write('spec.json', specWith(ref))
    await expect(createOpenApiService({ openapi, externalRefs: true })).rejects.toThrow(
      /leads outside|leads to no file/,
    )
  },
)

it('follows references between neighbouring files, in circles too', async () => {
  const folder = tempFolder()
  folder.write('pet.json', {
    type: 'object',
    properties: { name: { $ref: '#/$defs/Name' }, owner: { $ref: 'owner.json' } },
    $defs: { Name: { type: 'string' } },
  })
  folder.write('owner.json', { type: 'object', properties: { pet: { $ref: 'pet.json' } } })
  const openapi = folder.write('spec.json', specWith('./pet.json'))
  const service = await createOpenApiService({ openapi, externalRefs: true })
  const { tools } = await service.handle('tools/list', {}, aContext())
  expect(tools).toMatchObject([
    {
      inputSchema: {
        properties: {
          body: {
            properties: {
              name: { type: 'string' },
              owner: { properties: { pet: { description: '(again a d0)' } } },
            },
          },
        },
      },
    },
  ])
})

it('follows references to as many files as large public descriptions have', async () => {
  const folder = tempFolder()
  const names = Array.from({ length: 500 }, (_, at) => `schemas/part ${at}.json`)
  const schema = { type: 'object', properties: { name: { type: 'string' } } }
  for (const name of names) folder.write(name, schema)
  const parts = names.map((name) => ({ $ref: `./${encodeURI(name)}` }))
  const openapi = folder.write('spec.json', { ...specWith('#/parts/499'), parts })
  const service = await createOpenApiService({ openapi, externalRefs: true })
  const { tools } = await service.handle('tools/list', {}, aContext())
  expect(tools).toMatchObject([{ inputSchema: { properties: { body: schema } } }])
})

it.each(['openapi', 'swagger'])(
  'reads a description of %s in parts: paths, operations, bodies and lists of schemas',
  async (dialect) => {
    const folder = tempFolder()
    const id = { name: 'id', in: 'path', required: true }
    folder.write('paths/index.yaml', { '/pets/{id}': { put: { $ref: 'put-pet.yaml' } } })
    const isSwagger = dialect === 'swagger'
    folder.write('paths/put-pet.yaml', {
      operationId: 'putPet',
      parameters: [
        { ...id, ...(isSwagger ? { type: 'integer' } : { schema: { type: 'integer' } }) },
        ...(isSwagger
          ? [{ name: 'body', in: 'body', schema: { $ref: '../schemas/pet.yaml' } }]
          : []),
      ],
      ...(!isSwagger && {
        requestBody: { content: { 'application/json': { $ref: 'media.yaml' } } },
      }),
      responses: {},
    })
    folder.write('paths/media.yaml', { schema: { $ref: '../spec.json#/components/schemas/Pet' } })
    folder.write('schemas/index.yaml', { Pet: { $ref: 'pet.yaml' } })
    folder.write('schemas/pet.yaml', { type: 'object', properties: { name: { type: 'string' } } })
    const openapi = folder.write('spec.json', {
      [dialect]: isSwagger ? '2.0' : '3.0.3',
      info: { title: 'Pets', version: '1' },
      ...(isSwagger ? { host: 'h' } : { servers: [{ url: 'https://h' }] }),
      paths: { $ref: 'paths/index.yaml' },
      components: { schemas: { $ref: 'schemas/index.yaml' } },
    })
    const service = await createOpenApiService({ openapi, externalRefs: true })
    const { tools } = await service.handle('tools/list', {}, aContext())
    expect(tools).toMatchObject([
      {
        name: 'putPet',
        inputSchema: {
          properties: { id: { type: 'integer' }, body: { properties: { name: {} } } },
        },
      },
    ])
  },
)

it('makes no tool of an operation that is in a file it does not follow', async () => {
  const paths = { '/pets': { get: { $ref: 'get-pets.yaml' } } }
  const openapi = tempFolder().write('spec.json', aSpec(paths))
  const { report } = await createOpenApiService({ openapi })
  expect(report).toMatchObject({
    tools: 0,
    dropped: [
      { where: 'GET /pets', why: expect.stringContaining('get-pets.yaml') },
      { where: 'get-pets.yaml', why: expect.stringContaining('externalRefs') },
    ],
  })
})

it('leaves out pages and code samples that a description refers to', async () => {
  const folder = tempFolder()
  folder.write('intro.md', '# Pets\n\n- [a: b')
  const info = { title: 'Pets', version: '1', description: { $ref: './intro.md' } }
  const samples = [{ lang: 'PHP', source: { $ref: './samples/get.php' } }]
  const get = { operationId: 'a', responses: {}, 'x-codeSamples': samples }
  const openapi = folder.write('spec.json', aSpec({ '/a': { get } }, { info }))
  const service = await createOpenApiService({ openapi, externalRefs: true })
  expect(service.report).toMatchObject({ tools: 1, dropped: [] })
})

it('reads lists and mappings of any length', () => {
  const many = Array.from({ length: 300_000 }, (_, at) => ({ at }))
  const last = { $ref: 'other.json#/x' }
  expect(externalRefs({ list: [...many, last] })).toEqual(['other.json#/x'])
  const mapping = Object.fromEntries(many.map(({ at }) => [`key${at}`, 1]))
  expect(externalRefs({ mapping: { ...mapping, last } })).toEqual(['other.json#/x'])
})

it('follows references from a description that is given as a file URL', async () => {
  const folder = tempFolder()
  folder.write('pet.json', { type: 'object', properties: { name: { type: 'string' } } })
  const openapi = pathToFileURL(folder.write('spec.json', specWith('./pet.json'))).href
  const config = { openapi, externalRefs: true, baseUrl: 'https://api.example.com' }
  expect((await createOpenApiService(config)).report.tools).toBe(1)
})
