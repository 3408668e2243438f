import { isNumber } from '../../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { METHODS, type Method } from '../http/methods.ts'
import {
  type ApiDescription,
  type Omission,
  type Operation,
  type Parameter,
  type SecurityScheme,
  toStyle,
} from './operation.ts'
import { readBody } from './read-body.ts'
import { list, object, text, texts } from './read-values.ts'
import { resolvePath, resolveRef } from './resolve-ref.ts'

/** Reads OpenAPI 3.0 and 3.1. An operation that cannot be understood is dropped with its reason. */
export function readOpenApi3(root: JsonObject): ApiDescription {
  const info = object(root['info'])
  const dropped: Omission[] = []
  const operations: Operation[] = []
  for (const [path, entry] of Object.entries(object(resolveRef(root, root['paths'])))) {
    const item = resolvePath(root, entry)
    if (!isObject(item)) {
      dropped.push({ where: path, why: 'the path item refers to nothing that could be read' })
      continue
    }
    for (const method of METHODS) {
      if (!isObject(item[method])) continue
      const where = `${method.toUpperCase()} ${path}`
      const operation = resolveRef(root, item[method])
      const read = isObject(operation)
        ? readOperation({ root, path, method, item, operation })
        : `the operation ${text(item[method]['$ref'])} could not be resolved`
      if (typeof read === 'string') dropped.push({ where, why: read })
      else operations.push(read)
    }
  }
  return {
    title: text(info['title']),
    version: text(info['version']),
    description: text(info['description']),
    dialect: `OpenAPI ${text(root['openapi'])}`,
    servers: readServers(root['servers']),
    security: readSecuritySchemes(root),
    operations,
    dropped,
    root,
  }
}

interface OperationContext {
  readonly root: JsonObject
  readonly path: string
  readonly method: Method
  readonly item: JsonObject
  readonly operation: JsonObject
}

function readOperation({
  root,
  path,
  method,
  item,
  operation,
}: OperationContext): Operation | string {
  const declared = readParameters(root, [item['parameters'], operation['parameters']])
  if (typeof declared === 'string') return declared
  const parameters = withTemplateVariables(path, declared)
  const body = readBody(root, operation['requestBody'])
  if (typeof body === 'string') return body
  const [own] = [...readServers(operation['servers']), ...readServers(item['servers'])]
  const server =
    own === undefined || isSameServer(own, readServers(root['servers'])[0]) ? undefined : own
  return {
    id: text(operation['operationId']) || undefined,
    method,
    path,
    server,
    summary: text(operation['summary']) || text(item['summary']),
    description: text(operation['description']),
    tags: texts(operation['tags']),
    deprecated: operation['deprecated'] === true,
    parameters,
    body,
    response: readResponse(root, operation['responses']),
    security: securityNames(operation['security'] ?? root['security']),
    open: Array.isArray(operation['security']) && operation['security'].every(isEmpty),
  }
}

/** Later lists override earlier ones: an operation may restate a parameter of its path. */
function readParameters(root: JsonObject, lists: readonly unknown[]): Parameter[] | string {
  const byPlace = new Map<string, Parameter>()
  for (const raw of lists.flatMap(list)) {
    const parameter = resolveRef(root, raw)
    if (!isObject(parameter)) return `parameter ${text(object(raw)['$ref'])} could not be resolved`
    const read = readParameter(parameter)
    if (read) byPlace.set(`${read.in} ${read.name}`, read)
  }
  return [...byPlace.values()]
}

/**
 * Adds the variables of a path that no parameter declares, so that no brace is ever sent. Where the
 * path itself has a query (`/search?term={term}`), a query parameter of that name is the variable.
 */
function withTemplateVariables(path: string, declared: readonly Parameter[]): Parameter[] {
  const [before = ''] = path.split('#')
  const [, inQuery = ''] = before.split(/\?(.*)/s)
  const moved = declared.map((one) =>
    one.in === 'query' && inQuery.includes(`{${one.name}}`) ? inPath(one) : one,
  )
  const known = new Set(moved.flatMap((one) => (one.in === 'path' ? [one.name] : [])))
  const found = [...before.matchAll(/\{([^{}/]+)\}/g)].map(([, name = '']) => name)
  const missing = [...new Set(found)].filter((name) => !known.has(name))
  return [...moved, ...missing.map((name) => ({ ...UNDECLARED, name }))]
}

function inPath(parameter: Parameter): Parameter {
  return { ...parameter, in: 'path', style: 'simple', explode: false, required: true }
}

const UNDECLARED: Omit<Parameter, 'name'> = {
  in: 'path',
  style: 'simple',
  explode: false,
  json: false,
  required: true,
  description: '',
  schema: { type: 'string' },
}

const DEFAULT_STYLE = { path: 'simple', query: 'form', header: 'simple', cookie: 'form' } as const

/** Headers that belong to the HTTP call itself; OpenAPI says such parameters are to be ignored. */
const OWN_HEADERS = new Set(['accept', 'content-type', 'authorization'])

function readParameter(parameter: JsonObject): Parameter | undefined {
  const place = parameter['in']
  const name = text(parameter['name'])
  if (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie') {
    return undefined
  }
  if (!name || (place === 'header' && OWN_HEADERS.has(name.toLowerCase()))) return undefined
  const style = toStyle(parameter['style']) ?? DEFAULT_STYLE[place]
  return {
    name,
    in: place,
    style,
    explode: parameter['explode'] === undefined ? style === 'form' : parameter['explode'] === true,
    allowReserved: parameter['allowReserved'] === true,
    required: parameter['required'] === true || place === 'path',
    description: text(parameter['description']),
    ...readSchema(parameter),
  }
}

/** Reads the schema of a parameter; that of its `content` describes JSON or plain text. */
function readSchema(parameter: JsonObject): Pick<Parameter, 'json' | 'schema'> {
  const [content] = Object.entries(object(parameter['content']))
  if (!content) return { json: false, schema: object(parameter['schema']) }
  const [type, media] = content
  return { json: !/^text\//i.test(type), schema: object(object(media)['schema']) }
}

function readResponse(root: JsonObject, raw: unknown): Operation['response'] {
  const responses = object(raw)
  const status = Object.keys(responses).find((code) => /^2(\d\d|XX)$/i.test(code)) ?? 'default'
  const response = object(resolveRef(root, responses[status]))
  const content = object(response['content'])
  const contentTypes = Object.keys(content)
  const json = contentTypes.find((type) => /[/+]json\b/.test(type))
  return {
    contentTypes,
    schema: object(object(resolveRef(root, content[json ?? '']))['schema']),
    headers: Object.keys(object(response['headers'])).map((name) => name.toLowerCase()),
  }
}

function isEmpty(requirement: unknown): boolean {
  return isObject(requirement) && Object.keys(requirement).length === 0
}

function securityNames(raw: unknown): readonly string[] {
  return [...new Set(list(raw).flatMap((requirement) => Object.keys(object(requirement))))]
}

function readServers(raw: unknown): readonly string[] {
  return list(raw).flatMap((entry) => {
    const server = object(entry)
    const variables = object(server['variables'])
    const url = text(server['url']).replaceAll(/\{([^}]+)\}/g, (whole, name: string) => {
      const value = object(variables[name])['default']
      return typeof value === 'string' || isNumber(value) ? String(value) : whole
    })
    return url ? [url] : []
  })
}

/** Whether an operation only repeats the API's server: it then follows a configured base URL. */
function isSameServer(own: string, whole: string | undefined): boolean {
  const anywhere = 'https://anywhere'
  if (!URL.canParse(own, anywhere) || !URL.canParse(whole ?? '/', anywhere)) return false
  const [a, b] = [new URL(own, anywhere), new URL(whole ?? '/', anywhere)]
  return a.host === b.host && a.pathname === b.pathname
}

function readSecuritySchemes(root: JsonObject): Record<string, SecurityScheme> {
  const declared = object(object(root['components'])['securitySchemes'])
  return Object.fromEntries(
    Object.entries(declared).map(([name, raw]) => [
      name,
      readSecurityScheme(object(resolveRef(root, raw))),
    ]),
  )
}

function readSecurityScheme(scheme: JsonObject): SecurityScheme {
  if (scheme['type'] === 'http') return { type: 'http', scheme: text(scheme['scheme']) }
  if (scheme['type'] === 'oauth2') {
    const flow = object(object(scheme['flows'])['clientCredentials'])
    return { type: 'oauth2', tokenUrl: text(flow['tokenUrl']) || undefined }
  }
  return readApiKey(scheme)
}

function readApiKey(scheme: JsonObject): SecurityScheme {
  const place = scheme['in']
  const known = place === 'header' || place === 'query' || place === 'cookie'
  if (scheme['type'] !== 'apiKey' || !known) return { type: 'other' }
  return { type: 'apiKey', in: place, name: text(scheme['name']) }
}
