import { type JsonObject, isObject, parseObject } from '../../base/json/json.ts'
import { lineDiff } from '../../base/text/line-diff.ts'

/** The names that tools which edit files give to a text and its replacement. */
const PAIRS = [
  ['oldText', 'newText'],
  ['old_text', 'new_text'],
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['old_str', 'new_str'],
] as const

/** Returns the changed lines of an edit, by the arguments of its call; none for any other tool. */
export function editDiff(json: string): string[] {
  const args = parseObject(json) ?? {}
  const edits = Array.isArray(args['edits']) ? args['edits'].filter(isObject) : []
  return [args, ...edits].flatMap(diffOf)
}

function diffOf(edit: JsonObject): string[] {
  for (const [before, after] of PAIRS) {
    const [old, fresh] = [edit[before], edit[after]]
    if (typeof old === 'string' && typeof fresh === 'string') return lineDiff(old, fresh)
  }
  return []
}
