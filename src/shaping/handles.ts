import { randomBytes } from 'node:crypto'
import type { CallResult } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import { parseExact, stringifyExact } from '../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { type Excerpt, excerptOf } from './handles/excerpt.ts'
import type { ResultStore } from './handles/result-store.ts'
import { selectInText } from './handles/select-thread.ts'
import { dataOf } from './result-view.ts'
import type { Encoding } from './tokens.ts'

export interface ReadOptions {
  /** JMESPath over the whole result. */
  readonly select?: string | undefined
  /** Words separated by `|`; finds lines of a text or fields of JSON that contain one of them. */
  readonly grep?: string | undefined
  readonly offset?: number | undefined
  readonly limit?: number | undefined
  readonly maxTokens?: number | undefined
}

export interface Handles {
  keep(result: CallResult, agent: string): Promise<string>
  /** The result exactly as the upstream gave it. */
  original(handle: string, agent: string): Promise<CallResult>
  read(handle: string, agent: string, options?: ReadOptions): Promise<JsonObject>
  /** Returns the data as JSON text for programs, without a limit on its tokens. */
  json(handle: string, agent: string, options?: ReadOptions): Promise<string>
}

const DEFAULT_TOKENS = 2000
const SMALLEST_TOKENS = 120

/** Stores whole results under short names; only the agent whose call made a result may read it. */
export function createHandles(store: ResultStore, encoding: Encoding = 'cl100k_base'): Handles {
  async function original(handle: string, agent: string): Promise<CallResult> {
    const kept = await store.get(handle)
    // The same error as for a missing result, so that it reveals nothing about other agents.
    if (kept?.agent === agent) return kept.result
    throw new GatewayError('RESULT_GONE', `No kept result ${handle}.`, {
      hint: 'Results are kept for a while and read only by the agent that made the call: call the tool again, with narrower arguments or a larger max_tokens.',
    })
  }

  return {
    original,
    async keep(result, agent) {
      const handle = `r_${randomBytes(5).toString('hex')}`
      await store.put(handle, { agent, result })
      return handle
    },
    async read(handle, agent, { select, grep, ...options } = {}) {
      const whole = dataOf(await original(handle, agent))
      const page = {
        handle,
        encoding,
        offset: options.offset ?? 0,
        limit: options.limit ?? Infinity,
        maxTokens: Math.max(options.maxTokens ?? DEFAULT_TOKENS, SMALLEST_TOKENS),
      }
      const shown = select
        ? parseExact(await selected(agent, whole, select, { grep, page }))
        : excerptOf(whole, { grep, page })
      return isObject(shown) ? shown : { handle, data: shown }
    },
    async json(handle, agent, { select, ...options } = {}) {
      const whole = dataOf(await original(handle, agent))
      return select
        ? selected(agent, whole, select, options)
        : stringifyExact(excerptOf(whole, options) ?? null)
    },
  }
}

async function selected(
  agent: string,
  whole: unknown,
  expression: string,
  excerpt: Excerpt,
): Promise<string> {
  return selectInText(agent, { data: stringifyExact(whole), expression, excerpt })
}
