import { isObject } from '../../protocol/json-rpc.ts'
import type { Authorized, CallResult } from '../call.ts'
import type { Layer } from '../pipeline.ts'
import { invalidArguments, told } from '../problems.ts'
import { checkArguments } from '../validation/check-arguments.ts'

export interface ValidateOptions {
  /** Whether arguments for this upstream are checked here; they are by default. */
  readonly checks?: (upstream: string) => boolean
}

/** Where a result tells which of its arguments were understood differently than they were written. */
export const COERCED_META = 'portolan/coerced'

/** Outside `cache`, so that arguments that mean the same have one key. */
export function validate(options: ValidateOptions = {}): Layer<Authorized, Authorized, CallResult> {
  return (next) => async (call) => {
    const { tool, params } = call
    const schema = tool?.definition['inputSchema']
    if (!tool || !isObject(schema) || !isChecked(call, options)) return next(call)
    const given = params['arguments'] ?? {}
    if (!isObject(given)) return next(call)

    const checking = checkArguments(schema, given)
    const checked = checking instanceof Promise ? await checking : checking
    if (checked.errors.length > 0) throw invalidArguments(tool.name, schema, checked)
    if (checked.coerced.length === 0) return next(call)

    const result = await next({ ...call, params: { ...params, arguments: checked.arguments } })
    const meta = isObject(result['_meta']) ? result['_meta'] : {}
    return { ...result, _meta: { ...meta, [COERCED_META]: checked.coerced.map(told) } }
  }
}

/** A server whose contract says in which form it refuses arguments checks them itself. */
function isChecked({ upstream, tool }: Authorized, { checks }: ValidateOptions): boolean {
  if (checks?.(upstream.name) === false) return false
  return tool === undefined || upstream.rules?.(tool.name)?.checksArguments !== true
}
