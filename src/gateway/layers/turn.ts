import { after } from '../../base/flow/soon.ts'
import { turns } from '../../base/flow/turns.ts'
import { rootOf } from '../agents/policy.ts'
import type { CallResult, Identified } from '../call.ts'
import type { Layer } from '../pipeline.ts'

/**
 * Lets the event loop run between what the gateway answers itself: a list or a search takes
 * milliseconds of the main thread, and many may arrive at once.
 */
export function turn(): Layer<Identified, Identified, CallResult> {
  return (next) => async (call) =>
    after(turns.take(rootOf(call.agent), call.signal), async () => next(call))
}
