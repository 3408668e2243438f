import { z } from 'zod'
import { isNumber } from '../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { hasInvisible, hasTags, withoutInvisible } from '../../base/text/invisible.ts'

/** The lists that a server may have. */
export type ListName = 'tools' | 'resources' | 'resourceTemplates' | 'prompts' | 'skills'

/** Says why a definition cannot be shown: what it means is unclear, or no client would take it. */
export class Unusable extends Error {}

/**
 * Returns a definition as the official clients of both revisions accept it, which read a list as a
 * whole or not at all. What is wrong is repaired where its meaning is clear; otherwise this throws
 * `Unusable`. Returns the same object if nothing is wrong. Its depth was measured before. Calls
 * `onHidden` if it has removed text that models read and nothing shows.
 */
export function checkDefinition(
  list: ListName,
  given: JsonObject,
  onHidden?: () => void,
): JsonObject {
  const text = JSON.stringify(given)
  const clean = hasInvisible(text) ? withCleanTexts(given) : given
  if (clean !== given && JSON.stringify(clean) !== text) onHidden?.()
  return CHECKS[list](clean)
}

const CHECKS: Readonly<Record<ListName, (definition: JsonObject) => JsonObject>> = {
  tools(definition) {
    const { inputSchema = null } = checkName(definition)
    const schema = toInputSchema(inputSchema)
    const complete = schema === inputSchema ? definition : { ...definition, inputSchema: schema }
    return repair(complete, { ...COMMON, ...TOOL })
  },
  prompts: (definition) => repair(checkName(definition), { ...COMMON, arguments: promptArguments }),
  resources: (definition) => repair(withName(definition, 'uri'), RESOURCE),
  resourceTemplates: (definition) => repair(withName(definition, 'uriTemplate'), RESOURCE),
  skills: (definition) => repair(checkUri(definition, 'uri'), { _meta: object() }),
}

/** Returns the value of a field as clients accept it; undefined to drop the field. */
type Repair = (value: unknown) => unknown

function repair(holder: JsonObject, repairs: Readonly<Record<string, Repair>>): JsonObject {
  let repaired = holder
  for (const [name, fix] of Object.entries(repairs)) {
    if (!Object.hasOwn(holder, name)) continue
    const value = fix(holder[name])
    if (value === holder[name]) continue
    repaired = { ...repaired, [name]: value }
    if (value === undefined) delete repaired[name]
  }
  return repaired
}

const text = optional((value) => typeof value === 'string')
const flag = optional((value) => typeof value === 'boolean')
const size = optional(isNumber)
const isDate = z.iso.datetime({ offset: true })

/** Clients need this field only if it is right, so a wrong value is dropped. */
function optional(isRight: (value: unknown) => boolean): Repair {
  return (value) => (isRight(value) ? value : undefined)
}

function oneOf(...values: readonly unknown[]): Repair {
  return optional((value) => values.includes(value))
}

function object(repairs: Readonly<Record<string, Repair>> = {}): Repair {
  return (value) => (isObject(value) ? repair(value, repairs) : undefined)
}

const texts = optional(
  (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
)
const ICON = { mimeType: text, sizes: texts, theme: oneOf('light', 'dark') }

const COMMON: Readonly<Record<string, Repair>> = {
  title: text,
  description: text,
  _meta: object(),
  icons(value) {
    if (!Array.isArray(value)) return undefined
    const usable = value.filter(isObject).filter(({ src }) => typeof src === 'string')
    const icons = usable.map((icon) => repair(icon, ICON))
    return isSameList(icons, value) ? value : icons
  },
}

const TOOL: Readonly<Record<string, Repair>> = {
  outputSchema: (value) => (isObject(value) ? repairSchema(value) : undefined),
  annotations: object({
    title: text,
    readOnlyHint: flag,
    destructiveHint: flag,
    idempotentHint: flag,
    openWorldHint: flag,
  }),
  execution: object({ taskSupport: oneOf('required', 'optional', 'forbidden') }),
}

const RESOURCE: Readonly<Record<string, Repair>> = {
  ...COMMON,
  mimeType: text,
  size,
  annotations: object({
    audience: optional(
      (value) =>
        Array.isArray(value) && value.every((role) => role === 'user' || role === 'assistant'),
    ),
    priority: optional((value) => isNumber(value) && Number(value) >= 0 && Number(value) <= 1),
    lastModified: optional((value) => isDate.safeParse(value).success),
  }),
}

const MAX_NAME = 500

/** A tool or a prompt is called by its name, so a name is never changed. */
function checkName(definition: JsonObject): JsonObject {
  const { name } = definition
  if (typeof name !== 'string' || name === '') throw new Unusable('it has no name')
  if (name.length > MAX_NAME)
    throw new Unusable(`its name has ${name.length} characters, more than ${MAX_NAME}`)
  if (hasTags(name)) throw new Unusable('its name has invisible characters')
  return definition
}

function checkUri(definition: JsonObject, field: string): JsonObject {
  if (typeof definition[field] === 'string') return definition
  throw new Unusable(`it has no ${field}`)
}

/** A resource is read by its URI; its name is only shown. */
function withName(given: JsonObject, field: string): JsonObject {
  const definition = checkUri(given, field)
  if (typeof definition['name'] === 'string') return definition
  return { ...definition, name: definition[field] }
}

function promptArguments(value: unknown): unknown {
  if (value === null) return undefined
  if (!Array.isArray(value)) throw new Unusable('its arguments are no list')
  const repaired = value.map((one: unknown) => {
    if (!isObject(one) || typeof one['name'] !== 'string')
      throw new Unusable('one of its arguments has no name')
    return repair(one, { title: text, description: text, required: flag })
  })
  return isSameList(repaired, value) ? value : repaired
}

/** Arguments are always an object, so a schema that leaves this open means one. */
function toInputSchema(given: unknown): JsonObject {
  // Without a schema, a tool takes nothing.
  if (given === null) return { type: 'object', properties: {} }
  if (given === true) return { type: 'object' }
  if (!isObject(given)) throw new Unusable('its inputSchema is no JSON Schema')
  const schema = repairSchema(given)
  const { type } = schema
  if (type === 'object') return schema
  const types = [type ?? 'object'].flat().map((one) => JSON.stringify(one).toLowerCase())
  if (!types.includes('"object"') && !isObject(schema['properties']))
    throw new Unusable(
      `its inputSchema is of type ${types.join(' or ')}, and arguments are an object`,
    )
  return { ...schema, type: 'object' }
}

/** Repairs the parts of a schema that clients read before they show a tool. */
function repairSchema(schema: JsonObject): JsonObject {
  return repair(schema, {
    $schema: text,
    properties,
    required(value) {
      if (!Array.isArray(value)) return undefined
      const names = value.filter((name) => typeof name === 'string')
      return names.length === value.length ? value : names
    },
  })
}

function properties(value: unknown): unknown {
  // Written by PHP, an empty object is an empty list.
  if (value === null || (Array.isArray(value) && value.length === 0)) return undefined
  if (!isObject(value)) throw new Unusable('the properties of its schema are no object')
  const entries = Object.entries(value)
  if (entries.every(([, schema]) => isObject(schema))) return value
  return Object.fromEntries(entries.map(([name, schema]) => [name, toSchema(schema)]))
}

function toSchema(schema: unknown): JsonObject {
  return isObject(schema) ? schema : schema === false ? { not: {} } : {}
}

/** More than any definition written by people has. Clients read definitions recursively. */
const MAX_DEPTH = 100
const MAX_DEFINITION_CHARS = 256 * 1024

/**
 * Returns roughly how many characters a definition takes; throws `Unusable` if it is larger or
 * deeper than clients can read. Iterative, as JSON may be very deep.
 */
export function measure(definition: JsonObject): number {
  let chars = 0
  const waiting: (readonly [unknown, number])[] = [[definition, 0]]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [value, depth] = next
    chars += typeof value === 'string' ? value.length + 2 : 1
    if (isNumber(value) && !Number.isFinite(Number(value)))
      throw new Unusable('it has a number that clients cannot read')
    if (typeof value === 'object' && value !== null && !isNumber(value)) {
      if (depth === MAX_DEPTH) throw new Unusable(`it is nested more than ${MAX_DEPTH} levels deep`)
      for (const [name, inner] of Object.entries(value)) {
        chars += Array.isArray(value) ? 0 : name.length + 3
        waiting.push([inner, depth + 1])
      }
    }
    if (chars > MAX_DEFINITION_CHARS)
      throw new Unusable(`it takes more than ${MAX_DEFINITION_CHARS / 1024} KB`)
  }
  return chars
}

const SHOWN_TEXTS: ReadonlySet<string> = new Set(['title', 'description'])

/** Cleans the texts that models and people read, also those inside of schemas. */
function withCleanTexts(given: JsonObject): JsonObject {
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean)
    return isObject(value) ? cleanObject(value) : value
  }
  const cleanObject = (value: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        typeof inner === 'string' && SHOWN_TEXTS.has(name) ? withoutInvisible(inner) : clean(inner),
      ]),
    )
  return cleanObject(given)
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}
