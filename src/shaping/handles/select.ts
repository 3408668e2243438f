import type { JSONValue } from '@jmespath-community/jmespath'
import { GatewayError } from '../../gateway/errors.ts'
import { type JsonObject, isObject } from '../../base/json.ts'
import { parseExact, stringifyExact } from '../../base/exact-json.ts'
import { StandIns } from './stand-ins.ts'

const LONGEST = 1000
/** An expression may not be able to make its answer larger than this many times the input. */
const MOST_GROWTH = 64

/**
 * JMESPath over a kept result. JMESPath is total, but not cheap: `[@,@][]` doubles its input, so a
 * chain of them is a bomb. What an expression can grow to is bound before it runs.
 */
export async function select(data: unknown, expression: string): Promise<unknown> {
  library ??= load()
  const { TreeInterpreter, compile } = await library
  try {
    if (expression.length > LONGEST) throw new Error(`longer than ${LONGEST} characters`)
    const standIns = new StandIns([data, literalsOf(expression)])
    running = standIns
    const tree = compile(withStandIns(expression, standIns))
    if (growthOf(tree) > MOST_GROWTH) throw new Error('it copies its input too many times')
    const input = standIns.size === 0 ? data : standIns.replace(data)
    // The library's own type for JSON does not accept unknown; what is kept came as JSON.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const found = TreeInterpreter.search(tree, input as JSONValue)
    return standIns.size === 0 ? found : standIns.restore(found)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new GatewayError('INVALID_PARAMS', `select cannot be used: ${reason}`, {
      hint: "Write JMESPath, such as items[?state=='open'].{id: id, title: title} or keys(@).",
      cause,
    })
  }
}

let library: ReturnType<typeof load> | undefined
/** Those of the expression that is being evaluated, which happens without a pause. */
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

/** An upper bound of size(answer) / size(input); Infinity for what cannot be bound. */
function growthOf(node: unknown): number {
  if (!isObject(node)) return 1
  switch (node['type']) {
    // They bring the whole input back into every element.
    case 'Root':
    case 'Variable':
    case 'LetExpression':
      return Infinity
    case 'Literal':
      return Math.max(1, (JSON.stringify(node['value'])?.length ?? 0) / 16)
    case 'MultiSelectList':
    case 'MultiSelectHash':
      return sum(childrenOf(node))
    case 'Function':
      return String(node['name']).startsWith('pad_')
        ? Infinity
        : Math.max(sum(childrenOf(node)), product(childrenOf(node)))
    default:
      return product(childrenOf(node))
  }
}

function childrenOf(node: JsonObject): number[] {
  const { left, right, child, children, condition, value } = node
  const list = Array.isArray(children) ? children : []
  return [left, right, child, condition, value, ...list].filter(isObject).map(growthOf)
}

function sum(growths: readonly number[]): number {
  return growths.reduce((total, growth) => total + growth, 0)
}

function product(growths: readonly number[]): number {
  return growths.reduce((total, growth) => total * growth, 1)
}
