import { isDeepStrictEqual } from 'node:util'
import type { CallResult } from '../gateway/call.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { isMedia, textOf, tryStringify } from './summarise/blocks.ts'
import { parseJson } from './summarise/parse-json.ts'

/** A result as a model gets to read it. */
export interface ResultView {
  readonly blocks: readonly unknown[]
  readonly structured: JsonObject | undefined
  /** Whether the content says as text what the structured content says: a model is shown one of both. */
  readonly mirrored: boolean
  /** Every text a model reads; undefined when a part of it is too deep to be written. */
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
  // Structured content has to be an object: many servers put a list or a text under this name.
  const { result, ...others } = structured
  const value = Object.keys(others).length === 0 ? result : structured
  if (value === text) return true
  try {
    const data = parseJson(text)
    return isDeepStrictEqual(data, value) || isDeepStrictEqual(data, structured)
  } catch (error) {
    // Too deep to compare: then it is taken for something else, which only makes it count twice.
    if (error instanceof RangeError) return false
    throw error
  }
}

/** The data of a stored result: what `select`, `grep` and paging work on. */
export function dataOf(result: CallResult): unknown {
  if (isObject(result['structuredContent'])) return result['structuredContent']
  const blocks = result['content']
  if (!Array.isArray(blocks)) return result
  const text = blocks.length === 1 ? textOf(blocks[0]) : undefined
  return text === undefined ? blocks : (parseJson(text) ?? text)
}
