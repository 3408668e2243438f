import { type JsonObject, isObject } from '../../../base/json/json.ts'

/** One text of a definition, and its path in it. */
export interface DefinitionText {
  readonly text: string
  readonly where: string
}

const MAX_DEPTH = 100

/** Models read all of a definition but this, which clients keep to themselves. */
const UNREAD: ReadonlySet<string> = new Set(['_meta', 'icons', '$schema', '$ref', '$id'])

/** Returns every text of a definition that models read, the names of parameters included. */
export function textsOf(definition: JsonObject): DefinitionText[] {
  const texts: DefinitionText[] = []
  collect(definition, '', 0)
  return texts

  function collect(value: unknown, where: string, depth: number): void {
    if (typeof value === 'string') texts.push({ text: value, where })
    if (depth === MAX_DEPTH) return
    if (Array.isArray(value))
      for (const [index, each] of value.entries()) collect(each, `${where}.${index}`, depth + 1)
    else if (isObject(value))
      for (const [name, each] of Object.entries(value)) {
        if (UNREAD.has(name)) continue
        const path = where === '' ? name : `${where}.${name}`
        if (where.endsWith('properties')) texts.push({ text: name, where: path })
        collect(each, path, depth + 1)
      }
  }
}
