import type { JsonObject } from '../../base/json/json.ts'
import { tryStringify } from '../summarise/blocks.ts'
import { shapeJson } from '../summarise/shape-json.ts'
import { countUpTo, fits } from '../tokens.ts'

export interface PageOptions {
  readonly handle: string
  readonly offset: number
  readonly limit: number
  readonly maxTokens: number
}

/** Tokens for the counts around the data. */
const FRAME_TOKENS = 60
/** A longer line is split, so that a text without line breaks can be paged too. */
const MAX_LINE_LENGTH = 2000

/** Returns a part of `data` within the budget: array elements, lines of a text, or the value. */
export function page(data: unknown, options: PageOptions): JsonObject {
  if (Array.isArray(data)) return pageOf(data, options, (items) => items)
  if (typeof data === 'string') return pageOf(linesOf(data), options, (lines) => lines.join('\n'))
  return { handle: options.handle, data: fitted(data, options) }
}

function pageOf<T>(all: readonly T[], options: PageOptions, join: (part: T[]) => unknown) {
  const { handle, offset, limit, maxTokens } = options
  const wanted = all.slice(offset, offset + limit)
  const part: T[] = []
  let room = maxTokens - FRAME_TOKENS
  for (const item of wanted) {
    const text = tryStringify(item)
    // One more token for the comma or line end between two items.
    const tokens = text === undefined ? Infinity : countUpTo(text, room) + 1
    if (tokens > room) break
    room -= tokens
    part.push(item)
  }
  const [first] = wanted
  const alone = part.length === 0 && first !== undefined
  const shown = alone ? 1 : part.length
  const end = offset + shown
  return {
    handle,
    total: all.length,
    offset,
    shown,
    ...(end < all.length && { next_offset: end }),
    data: alone ? fitted(first, options) : join(part),
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    if (line.length <= MAX_LINE_LENGTH) return [line]
    const parts: string[] = []
    for (let at = 0; at < line.length; at += MAX_LINE_LENGTH) {
      parts.push(line.slice(at, at + MAX_LINE_LENGTH))
    }
    return parts
  })
}

/** Summarises a value that is too large for the budget; a narrower `select` shows the rest. */
function fitted(value: unknown, options: PageOptions): unknown {
  const { handle } = options
  const maxTokens = options.maxTokens - FRAME_TOKENS
  const text = tryStringify(value)
  if (text !== undefined && fits(text, maxTokens)) return value
  const shaped = shapeJson(value, {
    maxTokens,
    handle,
    interest: { terms: new Set(), required: new Set() },
    originalTokens: Math.ceil((text?.length ?? 0) / 4),
    estimated: true,
  })
  return shaped.value
}
