import { randomBytes } from 'node:crypto'
import type { CallResult } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { grep } from './handles/grep.ts'
import { page } from './handles/page.ts'
import type { ResultStore } from './handles/result-store.ts'
import { selectInThread } from './handles/select-thread.ts'
import { dataOf } from './result-view.ts'
import type { Encoding } from './tokens.ts'

export interface ReadOptions {
  /** JMESPath over the whole result. */
  readonly select?: string | undefined
  /** Words between `|`; lines of a text or fields of JSON that contain one of them. */
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
  /** The data itself, not cut to any number of tokens: for programs. */
  value(handle: string, agent: string, options?: ReadOptions): Promise<unknown>
}

const DEFAULT_TOKENS = 2000
const SMALLEST_TOKENS = 120

/** Whole results behind short names, each readable only by the agent whose call made it. */
export function createHandles(store: ResultStore, encoding: Encoding = 'cl100k_base'): Handles {
  async function original(handle: string, agent: string): Promise<CallResult> {
    const kept = await store.get(handle)
    // The answer is the same for another agent's result and for none, so that it discloses nothing.
    if (kept?.agent === agent) return kept.result
    throw new GatewayError('RESULT_GONE', `No kept result ${handle}.`, {
      hint: 'Results are kept for a while and read only by the agent that made the call: call the tool again, with narrower arguments or a larger max_tokens.',
    })
  }

  async function found(handle: string, agent: string, options: ReadOptions): Promise<unknown> {
    const whole = dataOf(await original(handle, agent))
    const selected = options.select ? await selectInThread(whole, options.select) : whole
    return options.grep ? grep(selected, options.grep) : selected
  }

  return {
    original,
    async keep(result, agent) {
      const handle = `r_${randomBytes(5).toString('hex')}`
      await store.put(handle, { agent, result })
      return handle
    },
    async read(handle, agent, options = {}) {
      return page(await found(handle, agent, options), {
        handle,
        encoding,
        offset: options.offset ?? 0,
        limit: options.limit ?? Infinity,
        maxTokens: Math.max(options.maxTokens ?? DEFAULT_TOKENS, SMALLEST_TOKENS),
      })
    },
    async value(handle, agent, options = {}) {
      const data = await found(handle, agent, options)
      const { offset = 0, limit = Infinity } = options
      return Array.isArray(data) || typeof data === 'string'
        ? data.slice(offset, offset + limit)
        : data
    },
  }
}
