import type { ApiConfigInput } from '../../src/upstreams/openapi/load/api-config.ts'
import { createOpenApiService } from '../../src/upstreams/openapi/create-openapi-service.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import { aSpec } from './a-spec.ts'
import { type Answer, sendJson, serveHttp } from './http-server.ts'
import { aContext } from './service-context.ts'
import { tempFolder } from './temp-folder.ts'

const json = { 200: { content: { 'application/json': { schema: {} } } } }
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
const page = { name: 'page', in: 'query', schema: { type: 'integer' } }

export const petPaths = {
  '/pets/{id}': {
    get: { operationId: 'getPet', parameters: [id, page], responses: json },
    post: {
      operationId: 'feedPet',
      parameters: [id],
      requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
      responses: json,
    },
  },
}

/** The API behind `answer`, as a service; `call` calls `getPet` by default. */
export async function anApi(
  answer: Answer,
  config: Partial<ApiConfigInput> = {},
  spec: JsonObject = aSpec(petPaths),
) {
  const server = await serveHttp(answer)
  const folder = tempFolder()
  const service = await createOpenApiService({
    openapi: folder.write('spec.json', spec),
    name: 'pets',
    baseUrl: `${server.url}/v1`,
    allowPrivate: true,
    backoffMs: 1,
    timeoutMs: 20_000,
    ...config,
  })
  return {
    service,
    server,
    call: async (args: JsonObject = { id: '7' }, name = 'getPet', context = aContext()) =>
      service.handle('tools/call', { name, arguments: args }, context),
    async [Symbol.asyncDispose]() {
      await service.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Answers from a list, one per request; the last one is repeated. */
export function inTurn(...answers: readonly Answer[]): Answer {
  let turn = 0
  return (request, response) => answers[Math.min(turn++, answers.length - 1)]?.(request, response)
}

export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (_, response) => {
    response
      .writeHead(code, { 'content-type': 'application/json', ...headers })
      .end('{"message":"no"}')
  }
}

/** A body of any type and encoding. */
export function sends(type: string, body: string | Buffer, encoding = 'identity'): Answer {
  return (_, response) => {
    response.writeHead(200, { 'content-type': type, 'content-encoding': encoding }).end(body)
  }
}

export function redirects(location: string, code = 302): Answer {
  return (_, response) => {
    response.writeHead(code, { location }).end()
  }
}

export const fine: Answer = (_, response) => sendJson(response, { id: 7, name: 'Rex' })
