import { type JsonObject, isObject } from '../../base/json/json.ts'
import { toDoubles } from '../../base/json/exact-json.ts'
import type { ResultRules } from '../../protocol/service.ts'
import type { Authorized, CallResult } from '../call.ts'
import type { Layer } from '../pipeline.ts'
import { hasUnknownFields, invalidArguments, describeCoercion } from '../validation/problems.ts'
import {
  type CheckedArguments,
  type Coercion,
  checkArguments,
  toPath,
} from '../validation/check-arguments.ts'
import { placeFields } from '../validation/place-fields.ts'
import { withExactNumbers } from '../validation/exact-arguments.ts'

/** The `_meta` key that lists the arguments of a call that were coerced to fit the schema. */
const COERCED_META = 'portolan/coerced'

/** Outside `cache`, so that arguments that mean the same have one key. */
export function validate(): Layer<Authorized, Authorized, CallResult> {
  return (next) => (call) => {
    const { tool, params, upstream } = call
    const schema = schemaOf(call)
    if (!tool || !schema) return next(call)
    const written = params['arguments'] ?? {}
    if (!isObject(written)) return next(call)

    const rules = upstream.inProcess?.rules?.(tool.name)
    const fitting = rules?.closed ? placeFields(schema, written) : undefined
    const given = fitting?.arguments ?? written
    const plain = toDoubles(given)
    const goOn = (found: CheckedArguments) => {
      // A text that was coerced to the JSON in it may hold numbers that a double cannot.
      const isPlain = plain === given && found.coerced.length === 0
      const exact = isPlain ? found : withExactNumbers(found, given)
      const checked = rules?.clamps ? withoutBounds(exact, rules.clamps) : exact
      throwIfWrong(tool.name, schema, checked, rules)
      if (!fitting?.placed.length && checked.coerced.length === 0) return next(call)
      const coerced = { ...call, params: { ...params, arguments: checked.arguments } }
      const changes = [...(fitting?.placed ?? []), ...checked.coerced]
      return next(coerced).then((result) => withCoercions(result, changes))
    }
    const checking = checkArguments(schema, plain)
    return checking instanceof Promise ? checking.then(goOn) : goOn(checking)
  }
}

/** Returns the input schema; requests about a task have no arguments of its tool. */
function schemaOf({ tool, method }: Authorized): JsonObject | undefined {
  const schema = method === 'tools/call' ? tool?.definition['inputSchema'] : undefined
  return isObject(schema) ? schema : undefined
}

function throwIfWrong(
  tool: string,
  schema: JsonObject,
  checked: CheckedArguments,
  rules: ResultRules | undefined,
): void {
  const hasUnknown = rules?.closed === true && hasUnknownFields(schema, checked.arguments)
  if (checked.errors.length > 0 || hasUnknown) throw invalidArguments(tool, schema, checked, rules)
}

/** Leaves out what is wrong only with the size of numbers that the tool clamps itself. */
function withoutBounds(checked: CheckedArguments, clamps: readonly string[]): CheckedArguments {
  const isClamped = ({ keyword, instancePath }: CheckedArguments['errors'][number]) =>
    (keyword === 'minimum' || keyword === 'maximum') && clamps.includes(toPath(instancePath))
  return { ...checked, errors: checked.errors.filter((error) => !isClamped(error)) }
}

function withCoercions(result: CallResult, coerced: readonly Coercion[]): CallResult {
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  return { ...result, _meta: { ...meta, [COERCED_META]: coerced.map(describeCoercion) } }
}
