import { isDeepStrictEqual } from 'node:util'
import type { CallResult } from '../gateway/call.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { isMedia, textOf, tryStringify } from './summarise/blocks.ts'
import { parseExact } from '../base/json/exact-json.ts'

/** A result as a model reads it. */
export interface ResultView {
  readonly blocks: readonly unknown[]
  readonly structured: JsonObject | undefined
  /** Whether the content is the structured content as text, so that a model needs only one. */
  readonly mirrored: boolean
  /** Every text that a model reads; undefined if a part is nested too deeply to be written. */
  readonly texts: readonly string[] | undefined
  readonly media: number
}

export function viewOf(result: CallResult): ResultView {
  const blocks: readonly unknown[] = Array.isArray(result['content']) ? result['content'] : []
  const structured = isObject(result['structuredContent']) ? result['structuredContent'] : undefined
  const json = structured && tryStringify(structured)
  const mirrored = structured !== undefined && mirrors(blocks, structured, json)
  const media = blocks.filter(isMedia).length
  const texts = blocks
    .filter((block) => !isMedia(block))
    .map((block) => textOf(block) ?? tryStringify(block))
  if (structured && !(mirrored && blocks.length > 0)) texts.push(json)
  const complete = texts.every((text) => text !== undefined)
  return { blocks, structured, mirrored, media, texts: complete ? texts : undefined }
}

function mirrors(blocks: readonly unknown[], structured: JsonObject, json: string | undefined) {
  if (blocks.length === 0) return true
  const text = blocks.length === 1 ? textOf(blocks[0]) : undefined
  if (text === undefined) return false
  if (text === json) return true
  // Structured content must be an object, so many servers put a list or a text under `result`.
  const { result, ...others } = structured
  const value = Object.keys(others).length === 0 ? result : structured
  if (value === text) return true
  try {
    const data = parseJson(text)
    return isDeepStrictEqual(data, value) || isDeepStrictEqual(data, structured)
  } catch (error) {
    // Too deep to compare: treated as different, which only makes it count twice.
    if (error instanceof RangeError) return false
    throw error
  }
}

/** Returns the data of a stored result, which `select`, `grep` and paging work on. */
export function dataOf(result: CallResult): unknown {
  if (isObject(result['structuredContent'])) return result['structuredContent']
  const blocks = result['content']
  if (!Array.isArray(blocks)) return result
  const text = blocks.length === 1 ? textOf(blocks[0]) : undefined
  return text === undefined ? blocks : (parseJson(text) ?? text)
}

/** Parses a JSON object or array; returns undefined for any other text. */
export function parseJson(text: string): object | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined
  try {
    const value = parseExact(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
