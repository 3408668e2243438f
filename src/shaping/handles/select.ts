import { GatewayError } from '../../gateway/errors.ts'
import { type JsonObject, isObject } from '../../base/json.ts'

const LONGEST = 1000
/** An expression may not be able to make its answer larger than this many times the input. */
const MOST_GROWTH = 64

/**
 * JMESPath over a kept result. JMESPath is total, but not cheap: `[@,@][]` doubles its input, so a
 * chain of them is a bomb. What an expression can grow to is bound before it runs.
 */
export async function select(data: unknown, expression: string): Promise<unknown> {
  const { TreeInterpreter, compile } = await import('@jmespath-community/jmespath')
  try {
    if (expression.length > LONGEST) throw new Error(`longer than ${LONGEST} characters`)
    const tree = compile(expression)
    if (growthOf(tree) > MOST_GROWTH) throw new Error('it copies its input too many times')
    // The library's own type for JSON does not accept unknown; what is kept came as JSON.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return TreeInterpreter.search(tree, data as Parameters<typeof TreeInterpreter.search>[1])
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new GatewayError('INVALID_PARAMS', `select cannot be used: ${reason}`, {
      hint: "Write JMESPath, such as items[?state=='open'].{id: id, title: title} or keys(@).",
      cause,
    })
  }
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
