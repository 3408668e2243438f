import { isObject } from '../../base/json/json.ts'
import { pause } from '../../base/flow/time.ts'
import type { Authorized, CallResult } from '../call.ts'
import { GatewayError } from '../errors.ts'
import { isUnanswered } from '../outage.ts'
import type { Layer } from '../pipeline.ts'
import { stateKeyOf } from '../upstream.ts'

export interface RetryOptions {
  /** Tries after the first one. */
  readonly retries: number
  readonly baseMs: number
  /** Retries may be at most this share of calls, so that they never double the load of an outage. */
  readonly share: number
}

/** If a server asks for a longer pause, the call is not repeated, and its error says when to call. */
const MAX_WANTED_MS = 2_000

/** The retry budget of each upstream: calls add to it, retries spend it. */
export class RetryBudgets {
  static readonly #most = 10
  readonly #saved = new Map<string, number>()

  save(upstream: string, amount: number): void {
    const saved = this.#saved.get(upstream) ?? RetryBudgets.#most / 2
    this.#saved.set(upstream, Math.min(RetryBudgets.#most, saved + amount))
  }

  /** Returns false if there is not enough for one more retry. */
  spend(upstream: string): boolean {
    const saved = this.#saved.get(upstream) ?? 0
    if (saved < 1) return false
    this.#saved.set(upstream, saved - 1)
    return true
  }

  forget(upstream: string): void {
    this.#saved.delete(upstream)
  }
}

/** Outside `breaker`, which sees every try. Repeats only safe calls, and never after a timeout. */
export function retry(
  options: RetryOptions,
  budgets: RetryBudgets,
): Layer<Authorized, Authorized, CallResult> {
  return (next) => {
    async function repeat(call: Authorized): Promise<CallResult> {
      const key = stateKeyOf(call.upstream)
      budgets.save(key, options.share)
      for (let tries = 0; ; tries++) {
        try {
          return await next(call)
        } catch (error) {
          if (tries >= options.retries || !mayPass(error) || call.signal.aborted) throw error
          const wantedMs = wantedPause(error)
          if (wantedMs > MAX_WANTED_MS || !budgets.spend(key)) throw error
          const pauseMs = Math.max(options.baseMs * 2 ** tries * (0.5 + Math.random()), wantedMs)
          await pause(pauseMs, call.signal)
        }
      }
    }

    return (call) => (options.retries > 0 && isRepeatable(call) ? repeat(call) : next(call))
  }
}

function wantedPause(error: unknown): number {
  return error instanceof GatewayError ? (error.details.retryAfterMs ?? 0) : 0
}

function isRepeatable({ tool, upstream }: Authorized): boolean {
  if (tool && upstream.inProcess?.rules?.(tool.name)?.retriesItself) return false
  const annotations = tool?.definition['annotations']
  return (
    tool?.readOnly === true || (isObject(annotations) && annotations['idempotentHint'] === true)
  )
}

/** A timeout is not retried: the call has used up its time. */
function mayPass(error: unknown): boolean {
  if (error instanceof GatewayError && error.code !== 'SERVER_UNAVAILABLE') return false
  return isUnanswered(error)
}
