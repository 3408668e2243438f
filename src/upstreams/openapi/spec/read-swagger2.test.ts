import { expect, it } from 'vitest'
import type { JsonObject } from '../../../base/json/json.ts'
import { readSwagger2 } from './read-swagger2.ts'

const document: JsonObject = {
  swagger: '2.0',
  info: { title: 'Old', version: '1' },
  host: 'api.example.com',
  basePath: '/v1',
  schemes: ['http', 'https'],
  consumes: ['application/json'],
  produces: ['application/json'],
  parameters: {
    Tags: {
      name: 'tags',
      in: 'query',
      type: 'array',
      items: { type: 'string' },
      collectionFormat: 'multi',
    },
    Pet: { name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } },
    Token: { name: 'token', in: 'formData', type: 'string', required: true },
  },
  definitions: { Pet: { type: 'object', properties: { name: { type: 'string' } } } },
  securityDefinitions: {
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    login: { type: 'basic' },
    app: { type: 'oauth2', flow: 'application', tokenUrl: 'https://api.example.com/token' },
  },
  paths: {
    '/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, type: 'integer' }],
      get: { operationId: 'get', parameters: [{ $ref: '#/parameters/Tags' }] },
      put: { operationId: 'put', parameters: [{ $ref: '#/parameters/Pet' }] },
      post: {
        operationId: 'upload',
        consumes: ['multipart/form-data'],
        parameters: [
          { $ref: '#/parameters/Token' },
          { name: 'photo', in: 'formData', type: 'file' },
          {
            name: 'labels',
            in: 'formData',
            type: 'array',
            items: { type: 'string' },
            collectionFormat: 'csv',
          },
        ],
      },
    },
  },
}

const byId = (id: string) => readSwagger2(document).operations.find((each) => each.id === id)

it('finds the server and the ways to authenticate', () => {
  const api = readSwagger2(document)
  expect(api.servers).toEqual(['https://api.example.com/v1'])
  expect(api.security).toEqual({
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    login: { type: 'http', scheme: 'basic' },
    app: { type: 'oauth2', tokenUrl: 'https://api.example.com/token' },
  })
})

it('keeps parameters of the path and shared ones, with their array format', () => {
  expect(byId('get')?.parameters).toEqual([
    expect.objectContaining({
      name: 'id',
      in: 'path',
      required: true,
      schema: { type: 'integer' },
    }),
    expect.objectContaining({ name: 'tags', in: 'query', style: 'form', explode: true }),
  ])
})

it('makes a body of a shared body parameter', () => {
  expect(byId('put')?.body).toMatchObject({
    contentType: 'application/json',
    required: true,
    schema: { $ref: '#/definitions/Pet' },
  })
})

it('makes one form of all form parameters, shared ones and files included', () => {
  expect(byId('upload')?.body).toMatchObject({
    contentType: 'multipart/form-data',
    required: true,
    schema: {
      required: ['token'],
      properties: {
        token: { type: 'string' },
        photo: { type: 'string', format: 'binary' },
        labels: { type: 'array', items: { type: 'string' } },
      },
    },
    encoding: { labels: { style: 'form', explode: false } },
  })
})

it('sends a body as a form where the operation takes nothing else', () => {
  const parameters = [{ name: 'order', in: 'body', schema: { type: 'object' } }]
  const consumes = ['application/x-www-form-urlencoded']
  const paths = { '/orders': { post: { operationId: 'order', consumes, parameters } } }
  const [operation] = readSwagger2({ ...document, paths }).operations
  expect(operation?.body?.contentType).toBe('application/x-www-form-urlencoded')
})
