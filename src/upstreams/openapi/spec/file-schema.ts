import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { list, object, text } from './read-values.ts'
import { resolveRef } from './resolve-ref.ts'

/** The ways in which an agent may pass a file, for its description. */
export const FILE_FORMS = '(file: base64, data: URL or path)'

/**
 * Whether a value of this schema is a file where bytes can be sent: Swagger 2 says `type: file`,
 * OpenAPI 3.0 `format: binary`, 3.1 `contentMediaType` without a `contentEncoding`.
 */
export function isFile(root: JsonObject, raw: unknown, walk: Walk = aWalk()): boolean {
  const schema = object(resolveRef(root, raw))
  const below = step(walk)
  if (!below) return false
  const inside = (part: unknown) => isFile(root, part, below)
  if (schema['type'] === 'array') return inside(schema['items'])
  if (schema['type'] === 'file') return true
  if (list(schema['allOf']).some(inside)) return true
  const alternatives = [...list(schema['oneOf']), ...list(schema['anyOf'])].filter(
    (each) => object(each)['type'] !== 'null',
  )
  // If text is allowed too, only a `data:` URL is certain to be a file.
  if (alternatives.length > 0) return alternatives.every(inside)
  if (schema['type'] !== undefined && ![schema['type']].flat().includes('string')) return false
  if (/^(binary|byte|base64|file)$/.test(text(schema['format']))) return true
  return typeof schema['contentMediaType'] === 'string' && schema['contentEncoding'] === undefined
}

/** Matches types whose content is bytes, so that text for it can only be base64, a URL or a path. */
export const BINARY =
  /^(image|audio|video|font)\/|octet-stream|\/(x-)?(zip|gzip|tar|bzip2?|7z-compressed|pdf|msword|protobuf)\b|vnd\.(ms-|openxml)/i

const MAX_DEPTH = 5
/** Schemas that name each other many times have more parts than could ever be read. */
const MAX_PARTS = 2_000

interface Walk {
  readonly depth: number
  readonly budget: { parts: number }
}

function aWalk(): Walk {
  return { depth: 0, budget: { parts: MAX_PARTS } }
}

/** Returns the walk one level down; undefined where it ends. */
function step({ depth, budget }: Walk): Walk | undefined {
  if (depth > MAX_DEPTH || budget.parts-- <= 0) return undefined
  return { depth: depth + 1, budget }
}

/** The properties of an object schema, with those of the schemas that it combines. */
export function propertiesOf(root: JsonObject, raw: unknown, walk: Walk = aWalk()): JsonObject {
  const schema = resolveRef(root, raw)
  const below = step(walk)
  if (!isObject(schema) || !below) return {}
  // Of alternatives, the first decides what a property is.
  const alternatives = [...list(schema['oneOf']), ...list(schema['anyOf'])].toReversed()
  const parts = [...alternatives, ...list(schema['allOf'])]
  const inherited = parts.map((part) => propertiesOf(root, part, below))
  return Object.assign({}, ...inherited, object(schema['properties']))
}
