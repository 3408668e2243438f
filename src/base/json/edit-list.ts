import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser'
import { type JsonPath, editJson, layoutOf } from './edit-json.ts'

/** Adds a value at the end of a list, which is made if it is missing; keeps comments and layout. */
export function addToList(text: string, path: JsonPath, value: unknown): string {
  const tree = parseTree(text)
  const list = tree && findNodeAtLocation(tree, [...path])
  if (list?.type !== 'array') return editJson(text, path, [value])
  const last = list.children?.at(-1)
  // The parser's insertion would break a list on one line into several.
  if (last && !text.slice(list.offset, list.offset + list.length).includes('\n')) {
    const end = last.offset + last.length
    return `${text.slice(0, end)}, ${JSON.stringify(value)}${text.slice(end)}`
  }
  const options = { isArrayInsertion: true, formattingOptions: layoutOf(text) }
  return applyEdits(text, modify(text, [...path, -1], value, options))
}

/** Removes one entry of a list, and the list with its last entry. */
export function removeFromList(text: string, path: readonly string[], index: number): string {
  const tree = parseTree(text)
  const list = tree && findNodeAtLocation(tree, [...path])
  if ((list?.children?.length ?? 0) < 2) return editJson(text, path, undefined)
  const options = { formattingOptions: layoutOf(text) }
  return applyEdits(text, modify(text, [...path, index], undefined, options))
}
