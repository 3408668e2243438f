import type { JSONValue } from '@jmespath-community/jmespath'
import { messageOf } from '../../base/errors.ts'
import { roughBytes } from '../../base/json/json.ts'
import { parseExact, stringifyExact } from '../../base/json/exact-json.ts'
import { TimeLimitError, runWithin } from '../../base/flow/run-within.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { growthOf } from './growth-of.ts'
import { NARROW } from './excerpt.ts'
import { StandIns } from './stand-ins.ts'

const MAX_LENGTH = 1000
/** The most that an expression may create, by an upper bound known before it runs. */
const MAX_BYTES = 256 * 1024 * 1024
/** Limited because other expressions wait meanwhile. */
const TIME_LIMIT_MS = 2000

const SYNTAX = "Write JMESPath, such as items[?state=='open'].{id: id, title: title} or keys(@)."
/**
 * Runs JMESPath over a stored result. Every expression ends, but it may be expensive: `[@,@][]`
 * doubles its input, so a chain of them grows exponentially. The growth is checked before an
 * expression runs, and its time is limited while it runs.
 */
export async function select(data: unknown, expression: string): Promise<unknown> {
  library ??= load()
  const { TreeInterpreter, compile } = await library
  if (expression.length > MAX_LENGTH)
    throw refused(`it is longer than ${MAX_LENGTH} characters`, `Shorten it. ${SYNTAX}`)
  try {
    const standIns = new StandIns([data, literalsOf(expression)])
    const tree = compile(withStandIns(expression, standIns))
    checkGrowth(growthOf({ ...tree }), data)
    const input = standIns.size === 0 ? data : standIns.replace(data)
    running = standIns
    const found = runWithin(TIME_LIMIT_MS, () =>
      // The library's own type for JSON does not accept unknown; stored data was parsed from JSON.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      TreeInterpreter.search(tree, input as JSONValue),
    )
    return standIns.size === 0 ? found : standIns.restore(found)
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause
    const reason = messageOf(cause)
    throw refused(reason, cause instanceof TimeLimitError ? NARROW : SYNTAX, cause)
  }
}

function checkGrowth(growth: number, data: unknown): void {
  if (growth === Infinity)
    throw refused(
      'its answer could be of any size',
      'Leave out $, let, pad_left, pad_right, a count in replace, and texts from the data in replace and join.',
    )
  // An expression that only picks from the result creates nothing, however large the result is.
  const most = MAX_BYTES / growth
  if (growth > 1 && roughBytes(data, most) > most)
    throw refused(
      `it could make ${Math.round(growth)} times the result, more than ${MAX_BYTES / 1024 / 1024} MiB`,
      NARROW,
    )
}

let library: ReturnType<typeof load> | undefined
/** The stand-ins of the expression that is being evaluated; evaluation is synchronous. */
let running: StandIns | undefined

async function load() {
  const loaded = await import('@jmespath-community/jmespath')
  const signature = [{ types: [loaded.TYPE_ANY] }]
  loaded.registerFunction('to_string', ([value]) => toText(value), signature, { override: true })
  return loaded
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : stringifyExact(running?.restore(value))
}

const NUMBER_LITERAL = /`\s*(-?\d[\d.eE+-]*)\s*`/g

function literalsOf(expression: string): unknown[] {
  return [...expression.matchAll(NUMBER_LITERAL)].map(([, text = '']) => parseExact(text))
}

function withStandIns(expression: string, standIns: StandIns): string {
  if (standIns.size === 0) return expression
  return expression.replaceAll(NUMBER_LITERAL, (_, text: string) => {
    const number = standIns.replace(parseExact(text))
    return `\`${stringifyExact(number)}\``
  })
}

export function refused(reason: string, hint: string, cause?: unknown): GatewayError {
  return new GatewayError('INVALID_PARAMS', `select cannot be used: ${reason}`, { hint, cause })
}
