import type { JsonObject } from '../../../base/json/json.ts'
import { defaultOf } from '../../../gateway/validation/align-schema.ts'
import type { ApiTool, BodyKind, PlannedBody, PlannedParameter } from './api-tool.ts'
import type { ImportOptions } from './import-api.ts'
import type { ApiDescription, Body, Operation, Parameter } from '../spec/operation.ts'
import { FILE_FORMS } from '../spec/file-schema.ts'
import { planBody } from './plan-body.ts'
import { plainText } from './plain-text.ts'
import { list, object, text } from '../spec/read-values.ts'
import { type Detail, TooManyNodes, renderSchema } from './render-schema.ts'
import { resolveRef } from '../spec/resolve-ref.ts'
import type { ArgumentRules } from '../../../gateway/tools/overrides.ts'
import type { ToolRules } from './tool-rules.ts'
import { freeName } from './tool-name.ts'

export interface ToolSource {
  readonly api: ApiDescription
  readonly operation: Operation
  readonly name: string
  readonly rules: ToolRules
  readonly options: ImportOptions
}

/** About 1,500 tokens: a schema longer than this is cut to a shallower depth. */
const MAX_SCHEMA_CHARS = 5_400
const MAX_OUTPUT_CHARS = 200
const MAX_ARRAYS = 3

/** From full detail down to bare names; the first that fits is used. */
const DETAILS: readonly Detail[] = [
  { depth: 6, descriptionChars: 90, properties: 60 },
  { depth: 4, descriptionChars: 80, properties: 60 },
  { depth: 3, descriptionChars: 60, properties: 40 },
  { depth: 2, descriptionChars: 60, properties: 40 },
  { depth: 2, descriptionChars: 0, properties: 40 },
  { depth: 1, descriptionChars: 0, properties: 40 },
  { depth: 1, descriptionChars: 0, properties: 12 },
]

export function toTool(source: ToolSource): { tool: ApiTool; shortened: boolean } {
  const { operation, name, rules } = source
  const parameters = planParameters(source)
  const body = planBody(source.api.root, operation, rules.body, parameters)
  const { schema, shortened } = inputSchema(source, parameters, body)
  const output = outputSchema(source)
  const readOnly = isReadOnly(operation, rules)
  const definition = {
    name,
    ...(rules.title !== undefined && { title: rules.title }),
    description: rules.description ?? describe(operation),
    inputSchema: schema,
    ...(output && { outputSchema: output }),
    annotations: hints(operation, readOnly, rules.effect),
  }
  const plan = {
    operation: operation.id ?? `${operation.method.toUpperCase()} ${operation.path}`,
    method: operation.method,
    path: operation.path,
    server: operation.server,
    parameters,
    body,
    answers: operation.response.contentTypes,
    answerHeaders: operation.response.headers,
    readOnly,
    security: operation.security,
    open: operation.open,
  }
  return { tool: { definition, plan }, shortened }
}

export function isReadOnly({ method }: Operation, rules: ToolRules): boolean {
  if (rules.effect !== undefined) return rules.effect === 'read'
  return rules.readOnly ?? (method === 'get' || method === 'head')
}

const DESTROYS = /delete|remove|destroy|purge|revoke|cancel|archive|drop|wipe/i

/** Omits what MCP assumes anyway (not read-only, not idempotent, open world), to save tokens. */
function hints(
  { method, id, path }: Operation,
  readOnly: boolean,
  effect: ToolRules['effect'],
): JsonObject {
  if (readOnly) return { readOnlyHint: true }
  if (effect !== undefined) return { destructiveHint: effect === 'delete' }
  const replaces = method === 'delete' || method === 'put' || method === 'patch'
  const idempotent = method === 'delete' || method === 'put'
  const destructiveHint = replaces || DESTROYS.test(id ?? path)
  return { destructiveHint, ...(idempotent && { idempotentHint: true }) }
}

function describe(operation: Operation): string {
  const summary = plainText(operation.summary, 160)
  const more = plainText(operation.description, 160)
  const both = more.startsWith(summary.replace(/\.$/, '')) ? more : joinSentences(summary, more)
  const words = both || `${operation.method.toUpperCase()} ${operation.path}`
  return operation.deprecated ? `Deprecated. ${words}` : words
}

function joinSentences(first: string, second: string): string {
  if (!first || !second) return first || second
  return /[.!?…]$/.test(first) ? `${first} ${second}` : `${first}. ${second}`
}

function planParameters({ api, operation, rules, options }: ToolSource): PlannedParameter[] {
  const taken = new Set<string>()
  const visible = operation.parameters.filter(
    (parameter) => parameter.in === 'path' || !isFilled(parameter, options),
  )
  return visible.map((parameter) => {
    const { name, in: place, style, explode, json, allowReserved, required, schema } = parameter
    const rule = ruleFor(rules, name)
    const argument = freeName(rule?.name ?? legalKey(name), place, taken)
    taken.add(argument)
    // An API that requires a parameter may refuse a call that leaves its default to the API.
    const stated = required ? defaultOf(object(resolveRef(api.root, schema))) : undefined
    const initial = rule?.fixed ?? rule?.default ?? stated
    const planned = { name, in: place, style, explode, json, allowReserved, argument }
    return initial === undefined
      ? { ...planned, required }
      : { ...planned, required: false, default: initial }
  })
}

/** Whether the credentials fill a parameter; the case of a header's name does not matter. */
function isFilled({ name, in: place }: Parameter, { filledByAuth = [] }: ImportOptions): boolean {
  if (place !== 'header') return filledByAuth.includes(name)
  return filledByAuth.some((filled) => filled.toLowerCase() === name.toLowerCase())
}

function ruleFor({ parameters = {} }: ToolRules, name: string): ArgumentRules | undefined {
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined
}

/** Model APIs refuse argument names with brackets, spaces or more than 64 characters. */
function legalKey(name: string): string {
  const legal = name.replaceAll(/[^A-Za-z0-9_.-]+/g, '_').replaceAll(/^_+|_+$/g, '')
  return legal.slice(0, 64) || 'value'
}

function inputSchema(
  { api, operation, rules }: ToolSource,
  planned: readonly PlannedParameter[],
  body: PlannedBody | undefined,
): { schema: JsonObject; shortened: boolean } {
  const byPlace = new Map(operation.parameters.map((each) => [`${each.in} ${each.name}`, each]))
  const attempt = (detail: Detail): JsonObject => {
    const properties: JsonObject = {}
    for (const { in: place, name, argument } of planned) {
      const rule = ruleFor(rules, name)
      const parameter = byPlace.get(`${place} ${name}`)
      if (!parameter || isHidden(rule)) continue
      properties[argument] = ruled(renderParameter(api, parameter, detail), rule)
    }
    if (body && operation.body && !isHidden(rules.body)) {
      const rendered = renderBody(api, operation.body, body.kind, detail)
      properties[body.argument] = ruled(rendered, rules.body)
    }
    Object.assign(properties, rules.flags)
    const required = [...planned, ...(body ? [body] : [])]
      .filter((each) => each.required && Object.hasOwn(properties, each.argument))
      .map(({ argument }) => argument)
    return { type: 'object', properties, ...(required.length > 0 && { required }) }
  }
  for (const [level, detail] of DETAILS.entries()) {
    const schema = tryRender(() => attempt(detail))
    if (!schema) continue
    const isLast = level === DETAILS.length - 1
    if (isLast || JSON.stringify(schema).length <= MAX_SCHEMA_CHARS) {
      return { schema, shortened: level > 0 }
    }
  }
  return { schema: { type: 'object', description: 'Too large to describe.' }, shortened: true }
}

function isHidden(rule: ArgumentRules | undefined): boolean {
  return rule?.hidden === true || rule?.fixed !== undefined
}

function tryRender(render: () => JsonObject): JsonObject | undefined {
  try {
    return render()
  } catch (error) {
    if (error instanceof TooManyNodes) return undefined
    throw error
  }
}

function renderParameter(api: ApiDescription, parameter: Parameter, detail: Detail): JsonObject {
  const schema = renderSchema(api.root, parameter.schema, detail)
  const description = plainText(parameter.description, detail.descriptionChars)
  return description ? { ...schema, description } : schema
}

function renderBody(
  { root }: ApiDescription,
  { schema, description }: Body,
  kind: BodyKind,
  detail: Detail,
): JsonObject {
  if (kind !== 'file') {
    return renderSchema(root, schema, { ...detail, files: kind === 'multipart' })
  }
  const words = plainText(description, detail.descriptionChars)
  return { type: 'string', description: `${words} ${FILE_FORMS}`.trim() }
}

function ruled(schema: JsonObject, rule: ArgumentRules | undefined): JsonObject {
  if (!rule) return schema
  return {
    ...schema,
    ...rule.schema,
    ...(rule.description !== undefined && { description: rule.description }),
    ...(rule.default !== undefined && { default: rule.default }),
  }
}

/**
 * Describes field names and types but never constrains them: APIs answer with more, less and other
 * than they promise, budgets reshape results, and clients discard what their schema refuses.
 */
function outputSchema({ api, operation }: ToolSource): JsonObject | undefined {
  const schema = object(resolveRef(api.root, operation.response.schema))
  const fields = Object.entries(object(schema['properties']))
  if (fields.length === 0 || fields.length > 20) return undefined
  const properties = Object.fromEntries(
    fields.map(([name, raw]) => [name, { description: typeWord(api.root, raw) }]),
  )
  const output = { type: 'object', properties }
  return JSON.stringify(output).length <= MAX_OUTPUT_CHARS ? output : undefined
}

function typeWord(root: JsonObject, raw: unknown, depth = 0): string {
  const schema = object(resolveRef(root, raw))
  const type = list(schema['type'])[0] ?? schema['type']
  // An array may hold arrays of its own type.
  if (type === 'array' && depth < MAX_ARRAYS)
    return `${typeWord(root, schema['items'], depth + 1)}[]`
  const ref = text(object(raw)['$ref'])
  return text(type) || ref.slice(ref.lastIndexOf('/') + 1) || 'any'
}
