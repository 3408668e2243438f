import { type JsonObject, isObject } from '../../base/json.ts'
import { toDoubles } from '../../base/exact-json.ts'
import type { ResultRules } from '../../protocol/service.ts'
import type { Authorized, CallResult } from '../call.ts'
import type { Layer } from '../pipeline.ts'
import { hasStrangers, invalidArguments, told } from '../problems.ts'
import {
  type CheckedArguments,
  type Coercion,
  checkArguments,
} from '../validation/check-arguments.ts'
import { withExactNumbers } from '../exact-arguments.ts'

export interface ValidateOptions {
  /** Whether arguments for this upstream are checked here; they are by default. */
  readonly checks?: (upstream: string) => boolean
}

/** Where a result tells which of its arguments were understood differently than they were written. */
export const COERCED_META = 'portolan/coerced'

/** Outside `cache`, so that arguments that mean the same have one key. */
export function validate(options: ValidateOptions = {}): Layer<Authorized, Authorized, CallResult> {
  return (next) => async (call) => {
    const { tool, params, upstream } = call
    const schema = tool?.definition['inputSchema']
    if (!tool || !isObject(schema) || options.checks?.(upstream.name) === false) return next(call)
    const given = params['arguments'] ?? {}
    if (!isObject(given)) return next(call)

    const plain = toDoubles(given)
    const checking = checkArguments(schema, plain)
    const found = checking instanceof Promise ? await checking : checking
    const checked = plain === given ? found : withExactNumbers(found, given)
    throwIfWrong(tool.name, schema, checked, upstream.rules?.(tool.name))
    if (checked.coerced.length === 0) return next(call)
    const mended = { ...call, params: { ...params, arguments: checked.arguments } }
    return withCoercions(await next(mended), checked.coerced)
  }
}

function throwIfWrong(
  tool: string,
  schema: JsonObject,
  checked: CheckedArguments,
  rules: ResultRules | undefined,
): void {
  const isLost = rules?.closed === true && hasStrangers(schema, checked.arguments)
  if (checked.errors.length > 0 || isLost) throw invalidArguments(tool, schema, checked, rules)
}

function withCoercions(result: CallResult, coerced: readonly Coercion[]): CallResult {
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  return { ...result, _meta: { ...meta, [COERCED_META]: coerced.map(told) } }
}
