import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Authorized, CallResult } from '../call.ts'
import type { Layer } from '../pipeline.ts'

/** Something in a result that addresses the model, or hides from people. */
export interface SuspectText {
  readonly class: 'high' | 'medium' | 'low'
  readonly rule: string
  readonly quote: string
  readonly reason: string
}

export type ScanText = (text: string) => readonly SuspectText[]

/** The `_meta` key of a result with what is suspect in it. */
export const SUSPECT_META = 'portolan/suspect'

/** Scanning takes some milliseconds for so many characters. */
const MAX_CHARS = 64 * 1024
const MAX_MARKED = 10

/**
 * Inside `cache`, so that a result is scanned once: marks in `_meta` what text of it addresses the
 * model, and counts that. The rest of the result stays as it is.
 *
 * ```yaml
 * # portolan.yaml
 * upstreams: { scanResults: true }
 * ```
 */
export function inspect(scan: ScanText | undefined): Layer<Authorized, Authorized, CallResult> {
  if (scan === undefined) return (next) => next
  return (next) => async (call) => {
    const result = await next(call)
    const text = textsIn(result).join('\n\n').slice(0, MAX_CHARS)
    const found = scan(text).filter((one) => one.class !== 'low')
    if (found.length === 0) return result
    call.event.suspects = found.length
    const meta = isObject(result['_meta']) ? result['_meta'] : {}
    const marks = found.slice(0, MAX_MARKED).map((one) => ({
      class: one.class,
      rule: one.rule,
      quote: one.quote,
      reason: one.reason,
    }))
    return { ...result, _meta: { ...meta, [SUSPECT_META]: marks } }
  }
}

/** The texts of content blocks, of resources that were read, and of the messages of a prompt. */
function textsIn({ content, contents, messages }: JsonObject): string[] {
  const spoken = listOf(messages).map((message) => message['content'])
  return [content, contents, spoken].flatMap(listOf).flatMap(({ text, resource }) => {
    const embedded = isObject(resource) ? resource['text'] : undefined
    return [text, embedded].filter((each) => typeof each === 'string')
  })
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
