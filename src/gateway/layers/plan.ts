import type { Authorized, CallResult } from '../call.ts'
import { effectOf } from '../tools/effect.ts'
import type { PlannedCall } from '../approvals/approval.ts'
import { toPlannedCall } from '../approvals/to-question.ts'
import type { Layer } from '../pipeline.ts'
import { withoutKeys } from '../validation/shape-arguments.ts'

/** The `_meta` key of the result that stands for a call that was not sent. */
export const PLANNED_META = 'portolan/planned'

/** Those that need approval, by their value in `_meta`: a server can write that, but not here. */
const needApproval = new WeakMap<object, PlannedCall>()

/** Returns what a planned call would be asked about; undefined if it needs no approval. */
export function toApprove(planned: object): PlannedCall | undefined {
  return needApproval.get(planned)
}

/**
 * Ends a call that would change something or needs approval if its caller only plans: it is authorized and its
 * arguments are checked, but it is not sent. Reads go on, and so do calls that only make others.
 */
export function plan(): Layer<Authorized, Authorized, CallResult> {
  return (next) => (call) => {
    const { tool, upstream, options, params, event } = call
    if (!options.plan || upstream.inProcess?.makesCalls) return next(call)
    // Nobody is asked about a plan, so that it has no results of calls that need approval.
    if (tool && effectOf(tool) === 'read' && !call.grant.ask) return next(call)
    event.decision = 'ALLOW'
    event.outcome = 'planned'
    const planned = { arguments: withoutKeys(call, params['arguments'] ?? {}) }
    if (tool && call.grant.ask) needApproval.set(planned, toPlannedCall(call))
    return Promise.resolve({ content: [], _meta: { [PLANNED_META]: planned } })
  }
}
