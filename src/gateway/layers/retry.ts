import { setTimeout as wait } from 'node:timers/promises'
import { isObject } from '../../base/json.ts'
import { toAbortSignal } from '../../base/signal.ts'
import type { Authorized, CallResult } from '../call.ts'
import { GatewayError } from '../errors.ts'
import { isUnanswered } from '../outage.ts'
import type { Layer } from '../pipeline.ts'

export interface RetryOptions {
  /** Tries after the first one. */
  readonly retries: number
  readonly baseMs: number
  /** Retries may be at most this share of calls, so that they never double the load of an outage. */
  readonly share: number
}

const MOST_SAVED = 10

/** Outside `breaker`, which sees every try. Only for what may safely happen twice, and never for timeouts. */
export function retry(options: RetryOptions): Layer<Authorized, Authorized, CallResult> {
  const saved = new Map<string, number>()
  return (next) => async (call) => {
    const { name } = call.upstream
    if (options.retries === 0 || !isRepeatable(call)) return next(call)
    saved.set(name, Math.min(MOST_SAVED, (saved.get(name) ?? MOST_SAVED / 2) + options.share))
    for (let tries = 0; ; tries++) {
      try {
        return await next(call)
      } catch (error) {
        const budget = saved.get(name) ?? 0
        if (tries >= options.retries || budget < 1 || !mayPass(error) || call.signal.aborted)
          throw error
        saved.set(name, budget - 1)
        const pauseMs = options.baseMs * 2 ** tries * (0.5 + Math.random())
        await wait(pauseMs, undefined, { signal: toAbortSignal(call.signal) })
      }
    }
  }
}

function isRepeatable({ tool, upstream }: Authorized): boolean {
  if (tool && upstream.rules?.(tool.name)?.retriesItself) return false
  const annotations = tool?.definition['annotations']
  return (
    tool?.readOnly === true || (isObject(annotations) && annotations['idempotentHint'] === true)
  )
}

/** The deadline of a call is its own: what took too long once is not tried again on its time. */
function mayPass(error: unknown): boolean {
  if (error instanceof GatewayError && error.code !== 'SERVER_UNAVAILABLE') return false
  return isUnanswered(error)
}
