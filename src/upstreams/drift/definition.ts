import { createHash } from 'node:crypto'
import { type JsonObject, canonicalJson, isObject } from '../../base/json/json.ts'
import type { AcceptedDefinition } from '../../gateway/tools/accepted.ts'

/** What a definition says to models and clients; `_meta` and icons are not among it. */
const FIELDS = [
  'name',
  'uriTemplate',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'arguments',
  'mimeType',
  'annotations',
] as const

/** Returns the fields of a definition that are accepted with it. */
export function acceptedFields(definition: JsonObject): JsonObject {
  return Object.fromEntries(
    FIELDS.flatMap((name) => (definition[name] === undefined ? [] : [[name, definition[name]]])),
  )
}

/** The same for definitions that differ only in the order of their fields. */
export function digestOf(definition: JsonObject): string {
  const text = canonicalJson(acceptedFields(definition))
  return `sha256-${createHash('sha256').update(text).digest('base64url')}`
}

export function toAccepted(definition: JsonObject): AcceptedDefinition {
  return { digest: digestOf(definition), definition: acceptedFields(definition) }
}

const TEXTS: ReadonlySet<string> = new Set(['title', 'description'])

/**
 * Returns a definition with the texts that were accepted: titles and descriptions, also those of
 * parameters. A parameter that was not there has none.
 */
export function withAcceptedTexts(now: JsonObject, accepted: JsonObject): JsonObject {
  const merged: JsonObject = {}
  for (const [key, value] of Object.entries(now)) {
    const before = accepted[key]
    if (!TEXTS.has(key) || typeof value !== 'string') merged[key] = merge(value, before)
    else if (typeof before === 'string') merged[key] = before
  }
  return merged
}

function merge(value: unknown, before: unknown): unknown {
  if (isObject(value)) return withAcceptedTexts(value, isObject(before) ? before : {})
  if (!Array.isArray(value)) return value
  return value.map((each, index) => merge(each, Array.isArray(before) ? before[index] : undefined))
}

/** Whether a path of a definition leads to a text of the kind that can be replaced. */
export function isText(where: string): boolean {
  return TEXTS.has(where.slice(where.lastIndexOf('.') + 1))
}
