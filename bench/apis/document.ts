/** A second, independent reader of descriptions, to check the importer against. */
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { list, object, text } from '../../src/upstreams/openapi/spec/read-values.ts'
import { deref } from '../support/deref.ts'

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head']
const PLACES = ['path', 'query', 'header', 'cookie'] as const

export type Place = (typeof PLACES)[number]

export interface DescribedParameter {
  readonly name: string
  readonly in: Place
  /** The whole parameter object of the description. */
  readonly raw: JsonObject
}

export interface DescribedBody {
  readonly type: string
  readonly schema: unknown
  readonly encoding: JsonObject
}

export interface DescribedOperation {
  readonly path: string
  readonly method: string
  readonly operation: JsonObject
  readonly parameters: readonly DescribedParameter[]
  readonly body: DescribedBody | undefined
}

/** Yields every operation with its parameters and its body, in the terms of OpenAPI 3. */
export function* operationsOf(root: JsonObject): Generator<DescribedOperation> {
  for (const [path, rawItem] of Object.entries(object(root.paths))) {
    const item = deref(root, rawItem)
    for (const method of METHODS) {
      const operation = item[method]
      if (!isObject(operation)) continue
      const byPlace = new Map<string, JsonObject>()
      for (const raw of [...list(item.parameters), ...list(operation.parameters)]) {
        const parameter = deref(root, raw)
        byPlace.set(`${text(parameter.in)} ${text(parameter.name)}`, parameter)
      }
      const all = [...byPlace.values()]
      const parameters = all.flatMap(toParameter)
      yield { path, method, operation, parameters, body: bodyOf(root, operation, all) }
    }
  }
}

function toParameter(raw: JsonObject): DescribedParameter[] {
  const name = text(raw.name)
  const place = PLACES.find((each) => each === raw.in)
  if (place === undefined) return []
  if (place === 'header' && /^(accept|content-type|authorization)$/i.test(name)) return []
  return [{ name, in: place, raw }]
}

function bodyOf(
  root: JsonObject,
  operation: JsonObject,
  parameters: readonly JsonObject[],
): DescribedBody | undefined {
  if (root.swagger !== undefined) return swaggerBody(parameters)
  const content = object(deref(root, operation.requestBody).content)
  const types = Object.keys(content)
  const [type = types[0]] = [
    /^application\/json\b/,
    /[/+]json\b/,
    /urlencoded/,
    /^multipart\/form-data/,
  ].flatMap((wanted) => types.filter((each) => wanted.test(each)))
  if (type === undefined) return undefined
  const { schema = {}, encoding } = object(content[type])
  return { type, schema, encoding: object(encoding) }
}

function swaggerBody(parameters: readonly JsonObject[]): DescribedBody | undefined {
  const whole = parameters.find((each) => each.in === 'body')
  if (whole) return { type: 'application/json', schema: whole.schema, encoding: {} }
  const fields = parameters.filter((each) => each.in === 'formData')
  if (fields.length === 0) return undefined
  const isMultipart = fields.some((each) => each.type === 'file')
  const properties = Object.fromEntries(fields.map((each) => [text(each.name), each]))
  const type = isMultipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  return { type, schema: { type: 'object', properties }, encoding: {} }
}

/** The schema of a converter that inlines every reference, cut off where it would not end. */
function naiveSchema(
  root: JsonObject,
  schema: unknown,
  budget = { nodes: 50_000 },
  chain: readonly string[] = [],
): unknown {
  if (budget.nodes-- <= 0 || typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map((each) => naiveSchema(root, each, budget, chain))
  const { $ref } = object(schema)
  if (typeof $ref === 'string') {
    if (chain.includes($ref)) return { type: 'object' }
    return naiveSchema(root, deref(root, schema), budget, [...chain, $ref])
  }
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !/^(x-|examples?$|xml$|externalDocs$)/.test(key))
      .map(([key, value]) => [key, naiveSchema(root, value, budget, chain)]),
  )
}

export function naiveTool(
  root: JsonObject,
  { path, method, operation, parameters, body }: DescribedOperation,
): JsonObject {
  const properties: JsonObject = Object.fromEntries(
    parameters.map(({ name, raw: { description, schema, type } }) => [
      name,
      { description, ...object(naiveSchema(root, schema ?? { type })) },
    ]),
  )
  if (body) properties.body = naiveSchema(root, body.schema)
  return {
    name: operation.operationId ?? `${method}_${path}`,
    description: [operation.summary, operation.description].filter(Boolean).join('\n'),
    inputSchema: { type: 'object', properties },
  }
}
