import type { Authorized, CallResult } from '../call.ts'
import type { Layer } from '../pipeline.ts'
import { type Lane, createLane } from '../slots.ts'

export interface ShareOptions {
  /** How many calls an upstream gets at once; `undefined` for as many as come. */
  readonly limitOf: (upstream: string) => number | undefined
}

/**
 * Shares the slots of each upstream fairly between agents. It stands inside `deadline`: waiting for
 * a slot spends the time of the call, and a call that is aborted leaves the queue at once.
 */
export function share({ limitOf }: ShareOptions): Layer<Authorized, Authorized, CallResult> {
  const lanes = new Map<string, Lane>()

  return (next) => async (call) => {
    const { name } = call.upstream
    if (limitOf(name) === undefined) return next(call)
    let lane = lanes.get(name)
    if (lane === undefined) {
      lane = createLane(() => Math.max(limitOf(name) ?? Infinity, 1))
      lanes.set(name, lane)
    }
    const agent = call.agent.id
    const turn = lane.enter(agent, call.signal)
    if (turn !== undefined) await turn
    try {
      return await next(call)
    } finally {
      lane.leave(agent)
    }
  }
}
