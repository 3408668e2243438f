import { type JsonObject, isObject } from '../../base/json/json.ts'
import { toDoubles } from '../../base/json/exact-json.ts'
import type { ArgumentShape, ResultRules } from '../../protocol/service.ts'
import { type Soon, after } from '../../base/flow/soon.ts'
import { personOf } from '../agents/on-behalf-of.ts'
import { shownName } from '../tools/tool-ref.ts'
import type { Authorized, CallResult } from '../call.ts'
import { GatewayError } from '../errors.ts'
import type { Policy } from '../agents/policy.ts'
import type { Handler, Layer } from '../pipeline.ts'
import { hasUnknownFields, invalidArguments, describeCoercion } from '../validation/problems.ts'
import {
  type CheckedArguments,
  type Coercion,
  checkArguments,
  toPath,
} from '../validation/check-arguments.ts'
import { placeFields } from '../validation/place-fields.ts'
import {
  shapeOf,
  toSentArguments,
  toShownArguments,
  withoutKeys,
} from '../validation/shape-arguments.ts'
import { withExactNumbers } from '../validation/exact-arguments.ts'
import { withDefaults } from '../validation/align-schema.ts'
import { isConditional, judge } from './judge.ts'

/** The `_meta` key that lists the arguments of a call that were coerced to fit the schema. */
const COERCED_META = 'portolan/coerced'

/**
 * Brings arguments to the form in which they are sent; rules with conditions judge them in it, before
 * the caller learns what is wrong with them. Outside `cache`, so that arguments that mean the same
 * have one key.
 */
export function validate(policy: Policy): Layer<Authorized, Authorized, CallResult> {
  return (next) => (call) => {
    const { tool, params, upstream } = call
    const schema = schemaOf(call)
    const written = params['arguments'] ?? {}
    const shape = shapeOf(call)
    if (!tool || !schema || !isObject(written)) {
      if (shape && schema) throw notAnObject(call)
      return whenAllowed(policy, call, written, next)
    }
    const rules = upstream.inProcess?.rules?.(tool.name)
    const { arguments: given, placed } = toGiven(
      call,
      schema,
      shape ? toShownArguments(shape, written) : written,
    )
    const plain = toDoubles(given)
    const sendOn = (found: CheckedArguments): Soon<CallResult> => {
      // A text that was coerced to the JSON in it may hold numbers that a double cannot.
      const isPlain = plain === given && found.coerced.length === 0
      const exact = isPlain ? found : withExactNumbers(found, given)
      const checked = rules?.clamps ? withoutBounds(exact, rules.clamps) : exact
      const changes = placed.length === 0 ? checked.coerced : [...placed, ...checked.coerced]
      const judgeAndSend = (args: JsonObject) => {
        const isSame = !shape && changes.length === 0 && given === written
        const sent = isSame ? call : { ...call, params: { ...params, arguments: args } }
        return whenAllowed(policy, sent, args, (allowed) => {
          throwIfWrong(shownName(tool), schema, checked, rules)
          if (changes.length === 0) return next(allowed)
          return next(allowed).then((result) => withCoercions(result, changes))
        })
      }
      return shape
        ? after(toSent(call, shape, checked.arguments), judgeAndSend)
        : judgeAndSend(checked.arguments)
    }
    return Promise.resolve(after(checkArguments(schema, plain), sendOn))
  }
}

/** Refuses what the configured values cannot be added to. */
function notAnObject({ tool }: Authorized): GatewayError {
  return new GatewayError(
    'INVALID_PARAMS',
    `The arguments of ${tool ? shownName(tool) : 'a tool'} must be an object`,
    { hint: 'Give them by name.', reason: 'invalid_arguments' },
  )
}

/** Puts arguments where they belong, and adds what a condition must not overlook. */
function toGiven(
  call: Authorized,
  schema: JsonObject,
  written: JsonObject,
): ReturnType<typeof placeFields> {
  const { tool, upstream } = call
  const isClosed = upstream.inProcess?.rules?.(tool?.name ?? '')?.closed
  const fitting = isClosed ? placeFields(schema, written) : { arguments: written, placed: NONE }
  if (!isConditional(call)) return fitting
  return { ...fitting, arguments: withDefaults(schema, fitting.arguments) }
}

const NONE: readonly never[] = []

/** Returns the arguments that are sent, with all that a condition must not overlook. */
function toSent(call: Authorized, shape: ArgumentShape, shown: JsonObject): Soon<JsonObject> {
  const { upstream, agent } = call
  const sent = toSentArguments(shape, shown, async (values) =>
    upstream.fillKeys ? upstream.fillKeys(values, personOf(agent)) : values,
  )
  return after(sent, (filled) => {
    const args = isConditional(call) ? withDefaults(shape.schema, filled) : filled
    if (call.event.arguments !== undefined) call.event.arguments = withoutKeys(call, args)
    return args
  })
}

/** Goes on once the rules allow the arguments, and at once where no rule looks at them. */
const whenAllowed: (
  policy: Policy,
  call: Authorized,
  args: unknown,
  next: Handler<Authorized, CallResult>,
) => Promise<CallResult> = (policy, call, args, next) =>
  isConditional(call) ? judged(policy, call, args, next) : next(call)

async function judged(
  ...[policy, call, args, next]: Parameters<typeof whenAllowed>
): Promise<CallResult> {
  await judge(policy, call, args)
  return next(call)
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
