import { type JsonObject, isObject } from '../../base/json/json.ts'
import { stringifyExact } from '../../base/json/exact-json.ts'
import { countUpTo } from '../tokens.ts'

/**
 * The tokens of an image or a sound. A model does not read its base64 as text; clients charge about
 * this much for one, whatever its size in bytes.
 */
export const MEDIA_TOKENS = 1600

/** Counts the tokens of a content block, exactly up to the limit. */
export function blockTokens(block: unknown, limit: number): number {
  if (isMedia(block)) return MEDIA_TOKENS
  const text = textOf(block) ?? tryStringify(block)
  return text === undefined ? Infinity : countUpTo(text, limit)
}

/** Returns the text that a model reads of this block: its own, or that of an embedded resource. */
export function textOf(block: unknown): string | undefined {
  if (!isObject(block)) return undefined
  if (block['type'] === 'text' && typeof block['text'] === 'string') return block['text']
  const resource = block['resource']
  return isObject(resource) && typeof resource['text'] === 'string' ? resource['text'] : undefined
}

/** Returns the block with another text; an embedded resource keeps its address and type. */
export function withText(block: unknown, text: string): JsonObject {
  if (!isObject(block)) return { type: 'text', text }
  return isObject(block['resource'])
    ? { ...block, resource: { ...block['resource'], text } }
    : { ...block, text }
}

export function isMedia(block: unknown): block is JsonObject {
  if (!isObject(block)) return false
  if (block['type'] === 'image' || block['type'] === 'audio') return true
  return isObject(block['resource']) && typeof block['resource']['blob'] === 'string'
}

/** Returns the replacement for a block that does not fit; an embedded file becomes a link. */
export function placeholder(block: unknown, index: number, handle: string): JsonObject {
  if (
    isObject(block) &&
    isObject(block['resource']) &&
    typeof block['resource']['uri'] === 'string'
  ) {
    const { uri, mimeType, blob } = block['resource']
    return {
      type: 'resource_link',
      uri,
      name: uri,
      ...(mimeType !== undefined && { mimeType }),
      ...(typeof blob === 'string' && { size: Buffer.byteLength(blob, 'base64') }),
      description: `Left out; read_result handle ${handle}, select "[${index}]"`,
    }
  }
  const type = isObject(block) ? String(block['mimeType'] ?? block['type']) : 'content'
  return {
    type: 'text',
    text: `[${type} left out; read_result handle ${handle}, select "[${index}]"]`,
  }
}

/** Returns undefined for a value that is nested too deeply to be written; it fits no budget. */
export function tryStringify(value: unknown): string | undefined {
  try {
    return stringifyExact(value)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
