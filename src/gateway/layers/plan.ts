import type { Authorized, CallResult } from '../call.ts'
import { effectOf } from '../tools/effect.ts'
import type { Layer } from '../pipeline.ts'
import { withoutKeys } from '../validation/shape-arguments.ts'

/** The `_meta` key of the result that stands for a call that was not sent. */
export const PLANNED_META = 'portolan/planned'

/**
 * Ends a call that would change something if its caller only plans: it is authorized and its
 * arguments are checked, but it is not sent. Reads go on, and so do calls that only make others.
 */
export function plan(): Layer<Authorized, Authorized, CallResult> {
  return (next) => (call) => {
    const { tool, upstream, options, params, event } = call
    if (!options.plan || upstream.inProcess?.makesCalls || (tool && effectOf(tool) === 'read'))
      return next(call)
    event.decision = 'ALLOW'
    event.outcome = 'planned'
    const planned = { arguments: withoutKeys(call, params['arguments'] ?? {}) }
    return Promise.resolve({ content: [], _meta: { [PLANNED_META]: planned } })
  }
}
