import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Listing } from '../../gateway/upstream.ts'

/** Translates the URI of a resource. */
export type Rename = (uri: string) => string

type Rewrite = (value: unknown, rename: Rename) => unknown

/**
 * Fields of a result or a notification that hold resource URIs. Texts and structured content are
 * not searched: only their server knows what they mean.
 */
const FIELDS: readonly (readonly [string, Rewrite])[] = [
  ['content', oneOrMany(inBlock)],
  ['contents', oneOrMany(inResource)],
  ['messages', oneOrMany(inMessage)],
  ['skills', oneOrMany(renameInSkill)],
  ['skill', oneOrMany(renameInSkill)],
  ['resources', oneOrMany(inResource)],
  ['_meta', inMeta],
  // The result of a task, which comes with its state.
  ['result', (value, rename) => (isObject(value) ? renameUris(value, rename) : value)],
]

/** Renames the URIs in a result; returns the same object, with its text, if nothing changes. */
export function renameUris(holder: JsonObject, rename: Rename): JsonObject {
  let renamed = holder
  for (const [key, rewrite] of FIELDS) {
    const value = holder[key]
    if (value === undefined) continue
    const now = rewrite(value, rename)
    if (now !== value) renamed = { ...renamed, [key]: now }
  }
  return renamed
}

/** Renames the URIs of a server's resources, templates and skills, and of the pages of its tools. */
export function renameInListing(listing: Listing, rename: Rename): Listing {
  return {
    ...listing,
    tools: listing.tools.map((tool) => {
      const definition = rewriteField(tool.definition, '_meta', (meta) => inMeta(meta, rename))
      return definition === tool.definition ? tool : { ...tool, definition }
    }),
    resources: listing.resources.map((resource) => inResource(resource, rename)),
    skills: listing.skills?.map((skill) => renameInSkill(skill, rename)),
    resourceTemplates: listing.resourceTemplates.map((template) =>
      renameField(template, 'uriTemplate', rename),
    ),
  }
}

/** Renames the URIs of a skill and of all its files. */
function renameInSkill(skill: JsonObject, rename: Rename): JsonObject {
  return rewriteField(renameField(skill, 'uri', rename), 'resources', (files) =>
    oneOrMany(inResource)(files, rename),
  )
}

/** Renames a field that is a URI. */
export function renameField(holder: JsonObject, key: string, rename: Rename): JsonObject {
  return rewriteField(holder, key, (uri) => (typeof uri === 'string' ? rename(uri) : uri))
}

function inBlock(block: JsonObject, rename: Rename): JsonObject {
  const { type } = block
  if (type === 'resource_link') return renameField(block, 'uri', rename)
  if (type !== 'resource') return block
  return rewriteField(block, 'resource', (resource) =>
    isObject(resource) ? inResource(resource, rename) : resource,
  )
}

function inResource(resource: JsonObject, rename: Rename): JsonObject {
  return renameField(resource, 'uri', rename)
}

function inMessage(message: JsonObject, rename: Rename): JsonObject {
  return rewriteField(message, 'content', (content) => oneOrMany(inBlock)(content, rename))
}

/** Renames the page of a tool (MCP Apps), in the current and the older notation. */
function inMeta(meta: unknown, rename: Rename): unknown {
  if (!isObject(meta)) return meta
  const flat = renameField(meta, 'ui/resourceUri', rename)
  return rewriteField(flat, 'ui', (ui) =>
    isObject(ui) ? renameField(ui, 'resourceUri', rename) : ui,
  )
}

function oneOrMany(rewrite: (value: JsonObject, rename: Rename) => JsonObject): Rewrite {
  const one = (value: unknown, rename: Rename) => (isObject(value) ? rewrite(value, rename) : value)
  return (value, rename) => {
    if (!Array.isArray(value)) return one(value, rename)
    let changed: unknown[] | undefined
    for (let at = 0; at < value.length; at += 1) {
      const now = one(value[at], rename)
      if (now === value[at]) continue
      changed ??= [...value]
      changed[at] = now
    }
    return changed ?? value
  }
}

function rewriteField(
  holder: JsonObject,
  key: string,
  rewrite: (value: unknown) => unknown,
): JsonObject {
  const value = holder[key]
  if (value === undefined) return holder
  const now = rewrite(value)
  return now === value ? holder : { ...holder, [key]: now }
}
