import { type JsonObject, isObject } from '../../base/json.ts'

/**
 * How many schemas a validator may visit for one value: references are followed, so a short schema
 * whose alternatives refer to alternatives counts as what it unfolds to.
 */
export function validationCost(root: JsonObject): number {
  const costs = new Map<string, number>()

  function ofReference(pointer: string): number {
    const known = costs.get(pointer)
    if (known !== undefined) return known
    // A reference to itself goes on only as deep as the value does.
    costs.set(pointer, 1)
    const cost = of(resolve(root, pointer))
    costs.set(pointer, cost)
    return cost
  }

  function of(node: unknown): number {
    if (Array.isArray(node)) return node.reduce((sum: number, inner) => sum + of(inner), 0)
    if (!isObject(node)) return 0
    let cost = 1
    for (const [key, inner] of Object.entries(node)) {
      if (key === '$ref' && typeof inner === 'string') cost += ofReference(inner)
      else if (key !== '$defs' && key !== 'definitions') cost += of(inner)
    }
    return cost
  }

  return of(root)
}

function resolve(root: JsonObject, pointer: string): unknown {
  if (!pointer.startsWith('#')) return undefined
  let node: unknown = root
  for (const part of pointer.slice(1).split('/').filter(Boolean)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    node =
      typeof node === 'object' && node !== null
        ? Object.entries(node).find(([name]) => name === key)?.[1]
        : undefined
  }
  return node
}
