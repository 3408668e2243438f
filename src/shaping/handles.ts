import { randomBytes } from 'node:crypto'
import type { CallResult } from '../gateway/call.ts'
import type { ResultSource } from '../gateway/layers/budgets.ts'
import { GatewayError } from '../gateway/errors.ts'
import { parseExact, stringifyExact } from '../base/json/exact-json.ts'
import type { Signal } from '../base/flow/signal.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { type Excerpt, excerptOf } from './handles/excerpt.ts'
import type { ResultStore } from './handles/result-store.ts'
import { selectInText } from './handles/select-thread.ts'
import { dataOf } from './result-view.ts'

interface ReadOptions {
  /** JMESPath over the whole result. */
  readonly select?: string | undefined
  /** Words separated by `|`; finds lines of a text or fields of JSON that contain one of them. */
  readonly grep?: string | undefined
  readonly offset?: number | undefined
  readonly limit?: number | undefined
  readonly maxTokens?: number | undefined
  /** Ends a wait for a thread that runs `select`. */
  readonly signal?: Signal | undefined
}

/** Who reads a result. */
export interface ResultReader {
  /** The name under which its own results are kept. */
  readonly owner: string
  /** Whether it may still use what gave the result: rights may have changed since the call. */
  mayUse(source: ResultSource): boolean
}

export interface Handles {
  keep(result: CallResult, owner: string, from?: ResultSource): Promise<string>
  /** The result exactly as the upstream gave it. */
  original(handle: string, reader: ResultReader): Promise<CallResult>
  read(handle: string, reader: ResultReader, options?: ReadOptions): Promise<JsonObject>
  /** Returns the data as JSON text for programs, without a limit on its tokens. */
  json(handle: string, reader: ResultReader, options?: ReadOptions): Promise<string>
}

const DEFAULT_TOKENS = 2000
const MIN_TOKENS = 120

/**
 * Stores whole results under short names; only the agent whose call made a result may read it, and
 * only while it may use the tool.
 */
export function createHandles(store: ResultStore): Handles {
  async function original(handle: string, reader: ResultReader): Promise<CallResult> {
    const kept = await store.get(handle)
    const isAllowed = kept?.agent === reader.owner && (!kept.from || reader.mayUse(kept.from))
    // The same error as for a missing result, so that it reveals nothing about other agents.
    if (isAllowed) return kept.result
    throw new GatewayError('RESULT_GONE', `No kept result ${handle}.`, {
      hint: 'Results are kept for a while and read only by the agent that made the call, while it may use the tool: call the tool again, with narrower arguments or a larger max_tokens.',
    })
  }

  return {
    original,
    async keep(result, owner, from) {
      const handle = `r_${randomBytes(5).toString('hex')}`
      await store.put(handle, { agent: owner, result, from })
      return handle
    },
    async read(handle, reader, { select, grep, signal, ...options } = {}) {
      const whole = dataOf(await original(handle, reader))
      const page = {
        handle,
        offset: options.offset ?? 0,
        limit: options.limit ?? Infinity,
        maxTokens: Math.max(options.maxTokens ?? DEFAULT_TOKENS, MIN_TOKENS),
      }
      const shown = select
        ? parseExact(await selected({ reader, whole, select, signal }, { grep, page }))
        : excerptOf(whole, { grep, page })
      return isObject(shown) ? shown : { handle, data: shown }
    },
    async json(handle, reader, { select, signal, ...options } = {}) {
      const whole = dataOf(await original(handle, reader))
      return select
        ? selected({ reader, whole, select, signal }, options)
        : stringifyExact(excerptOf(whole, options) ?? null)
    },
  }
}

interface Selection {
  readonly reader: ResultReader
  readonly whole: unknown
  readonly select: string
  readonly signal: Signal | undefined
}

async function selected(
  { reader, whole, select, signal }: Selection,
  excerpt: Excerpt,
): Promise<string> {
  const request = { data: stringifyExact(whole), expression: select, excerpt }
  return selectInText(reader.owner, request, signal)
}
