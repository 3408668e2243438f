import { type JsonObject, isObject } from '../../base/json/json.ts'

/** The bytes that `roughBytes` counts for an element besides its text. */
const ELEMENT_BYTES = 16

/** Nodes whose right side is applied to the result of the left side. */
const CHAINED = new Set([
  'Subexpression',
  'IndexExpression',
  'Pipe',
  'Projection',
  'ValueProjection',
  'FilterProjection',
])

/** Functions that return a number, a word or a boolean, however large their input. */
const SCALAR = new Set(
  'abs avg ceil contains ends_with find_first find_last floor length starts_with sum to_number type'.split(
    ' ',
  ),
)

/** Nodes that can put the whole input into every element. */
const UNBOUND = new Set(['Root', 'Variable', 'LetExpression'])

/**
 * Returns an upper bound for the largest value that a JMESPath expression creates, as a multiple of
 * its input, or Infinity where there is none. It counts what is copied as a whole; a few bytes per
 * element, such as a null, count as nothing.
 */
export function growthOf(node: JsonObject): number {
  const type = String(node['type'])
  const children = childrenOf(node)
  if (UNBOUND.has(type)) return Infinity
  if (CHAINED.has(type)) return product(children.map(growthOf))
  switch (type) {
    case 'Literal':
      return Math.max(1, (JSON.stringify(node['value'])?.length ?? 0) / ELEMENT_BYTES)
    case 'Comparator':
    case 'NotExpression':
      return scalar(children)
    case 'MultiSelectList':
    case 'MultiSelectHash':
      return together(children)
    case 'Function':
      return functionGrowth(String(node['name']), children)
    default:
      return Math.max(1, ...children.map(growthOf))
  }
}

function functionGrowth(name: string, args: readonly JsonObject[]): number {
  if (SCALAR.has(name)) return scalar(args)
  const growths = args.map(growthOf)
  const [first = 1, second = 1] = growths
  switch (name) {
    case 'pad_left':
    case 'pad_right':
      return Infinity
    case 'replace':
      // The library creates an array with as many elements as the count says.
      return args.length > 3 ? Infinity : product([first, 1 + lengthOf(args[2])])
    case 'join':
      return product([second, 1 + lengthOf(args[0]) / ELEMENT_BYTES])
    case 'split':
      return first * ELEMENT_BYTES
    case 'to_string':
      // Quotes and backslashes are escaped, and each further call escapes the backslashes again.
      return first * 2
    default:
      return Math.max(sum(growths), product(growths))
  }
}

function scalar(nodes: readonly JsonObject[]): number {
  const largest = Math.max(0, ...nodes.map(growthOf))
  return largest > 1 ? largest : 0
}

/** Different fields of one object are together no larger than the object. */
function together(nodes: readonly JsonObject[]): number {
  const ofField = new Map<string, number>()
  let rest = 0
  for (const node of nodes) {
    const field = fieldOf(node)
    const growth = growthOf(node)
    if (field === undefined) rest += growth
    else ofField.set(field, (ofField.get(field) ?? 0) + growth)
  }
  return rest + Math.max(0, ...ofField.values())
}

/** Returns the field from which the whole result of a node comes, if there is one. */
function fieldOf(node: JsonObject): string | undefined {
  const { type, name, left, value } = node
  if (type === 'Field') return String(name)
  if (type === 'KeyValuePair' && isObject(value)) return fieldOf(value)
  return CHAINED.has(String(type)) && isObject(left) ? fieldOf(left) : undefined
}

/** Returns the length of a text literal; any other text may be as long as the input. */
function lengthOf(node: JsonObject | undefined): number {
  const text = node?.['type'] === 'Literal' ? node['value'] : undefined
  return typeof text === 'string' ? text.length : Infinity
}

function childrenOf(node: JsonObject): JsonObject[] {
  return Object.values(node).flat().filter(isObject)
}

function sum(growths: readonly number[]): number {
  return growths.reduce((total, growth) => total + growth, 0)
}

function product(growths: readonly number[]): number {
  return growths.reduce((total, growth) => total * Math.max(1, growth), 1)
}
