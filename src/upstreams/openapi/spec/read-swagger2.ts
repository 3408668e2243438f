import { type JsonObject, isObject } from '../../../base/json/json.ts'
import type { ApiDescription } from './operation.ts'
import { preferredBodyType } from './read-body.ts'
import { readOpenApi3 } from './read-openapi3.ts'
import { list, object, text, texts } from './read-values.ts'
import { resolvePath, resolveRef } from './resolve-ref.ts'
import { METHODS } from '../http/methods.ts'

/**
 * Reads Swagger 2.0 by rewriting each operation in OpenAPI 3 terms.
 * Written by hand because the converters tried lose shared body and form parameters, or bring a
 * command-line framework along (docs/decisions/openapi-import.md).
 */
export function readSwagger2(root: JsonObject): ApiDescription {
  const paths = Object.entries(object(resolveRef(root, root['paths']))).map(([path, raw]) => {
    const item = object(resolvePath(root, raw))
    const shared = list(item['parameters'])
    const operations = METHODS.filter((method) => isObject(item[method])).map((method) => [
      method,
      convertOperation(root, shared, object(resolveRef(root, item[method]) ?? item[method])),
    ])
    return [path, Object.fromEntries(operations)]
  })
  const converted = { ...root, paths: Object.fromEntries(paths), servers: servers(root) }
  return {
    ...readOpenApi3({ ...converted, components: { securitySchemes: securitySchemes(root) } }),
    dialect: 'Swagger 2.0',
    root,
  }
}

function convertOperation(root: JsonObject, shared: readonly unknown[], operation: JsonObject) {
  const byPlace = new Map<string, JsonObject>()
  for (const raw of [...shared, ...list(operation['parameters'])]) {
    const parameter = object(resolveRef(root, raw) ?? raw)
    const place = `${text(parameter['in'])} ${text(parameter['name'])}`
    byPlace.set(parameter['$ref'] === undefined ? place : text(parameter['$ref']), parameter)
  }
  const all = [...byPlace.values()]
  const consumes = texts(operation['consumes'] ?? root['consumes'])
  const produces = texts(operation['produces'] ?? root['produces'])
  return {
    ...operation,
    parameters: all.filter((parameter) => !isBody(parameter)).map(convertParameter),
    requestBody: convertBody(all.filter(isBody), consumes),
    responses: convertResponses(root, object(operation['responses']), produces),
  }
}

function isBody(parameter: JsonObject): boolean {
  return parameter['in'] === 'body' || parameter['in'] === 'formData'
}

function convertParameter(parameter: JsonObject): JsonObject {
  if (typeof parameter['$ref'] === 'string') return parameter
  const { name, in: place, required, description, collectionFormat, ...schema } = parameter
  return { name, in: place, required, description, schema, ...arrayStyle(place, collectionFormat) }
}

function arrayStyle(place: unknown, format: unknown): JsonObject {
  if (format === 'multi') return { style: 'form', explode: true }
  if (format === 'pipes') return { style: 'pipeDelimited', explode: false }
  if (format === 'ssv') return { style: 'spaceDelimited', explode: false }
  if (format === 'tsv') return { style: 'tabDelimited', explode: false }
  return { style: place === 'query' ? 'form' : 'simple', explode: false }
}

function convertBody(parameters: readonly JsonObject[], consumes: readonly string[]): unknown {
  const [first] = parameters
  if (!first) return undefined
  if (first['in'] === 'body') {
    const type = preferredBodyType(consumes) ?? 'application/json'
    const content = { [type]: { schema: first['schema'] } }
    return { required: first['required'], description: first['description'], content }
  }
  const hasFile = parameters.some((parameter) => parameter['type'] === 'file')
  const wanted = hasFile ? /^multipart\// : /form/
  const type = consumes.find((each) => wanted.test(each))
  const fallback = hasFile ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  return {
    required: parameters.some((parameter) => parameter['required'] === true),
    content: { [type ?? fallback]: formMedia(parameters) },
  }
}

function formMedia(parameters: readonly JsonObject[]): JsonObject {
  const properties: JsonObject = {}
  const encoding: JsonObject = {}
  for (const parameter of parameters) {
    const { name, in: _, required: __, collectionFormat, ...schema } = parameter
    const isFile = schema['type'] === 'file'
    properties[text(name)] = isFile ? { ...schema, type: 'string', format: 'binary' } : schema
    if (schema['type'] === 'array') encoding[text(name)] = arrayStyle('query', collectionFormat)
  }
  const required = parameters
    .filter((each) => each['required'] === true)
    .map((each) => each['name'])
  return { schema: { type: 'object', properties, required }, encoding }
}

function convertResponses(root: JsonObject, responses: JsonObject, produces: readonly string[]) {
  return Object.fromEntries(
    Object.entries(responses).map(([code, raw]) => {
      const response = object(resolveRef(root, raw))
      const schema = response['schema']
      if (schema === undefined) return [code, response]
      const types = produces.length > 0 ? produces : ['application/json']
      return [
        code,
        { ...response, content: Object.fromEntries(types.map((type) => [type, { schema }])) },
      ]
    }),
  )
}

function servers(root: JsonObject): JsonObject[] {
  const host = text(root['host'])
  const basePath = text(root['basePath'])
  const schemes = texts(root['schemes'])
  const scheme = schemes.includes('https') ? 'https' : (schemes[0] ?? 'https')
  if (!host) return basePath ? [{ url: basePath }] : []
  return [{ url: `${scheme}://${host}${basePath}` }]
}

function securitySchemes(root: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object(root['securityDefinitions'])).map(([name, raw]) => {
      const scheme = object(raw)
      if (scheme['type'] === 'basic') return [name, { type: 'http', scheme: 'basic' }]
      if (scheme['type'] !== 'oauth2') return [name, scheme]
      const flow = scheme['flow'] === 'application' ? { tokenUrl: scheme['tokenUrl'] } : {}
      return [name, { type: 'oauth2', flows: { clientCredentials: flow } }]
    }),
  )
}
