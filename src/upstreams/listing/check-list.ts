import { stringifyExact } from '../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { withoutInvisible } from '../../base/text/invisible.ts'
import type { LeftOut } from '../../gateway/upstream.ts'
import { type ListName, Unusable, checkDefinition, measure } from './check-definition.ts'

/** What one entry of each list is called, and the field that identifies it. */
const ENTRIES: Readonly<Record<ListName, { readonly kind: string; readonly identity: string }>> = {
  tools: { kind: 'tool', identity: 'name' },
  resources: { kind: 'resource', identity: 'uri' },
  resourceTemplates: { kind: 'resource template', identity: 'uriTemplate' },
  prompts: { kind: 'prompt', identity: 'name' },
  skills: { kind: 'skill', identity: 'uri' },
}

/** How the kind of what is left out begins where that is text that people do not see. */
export const HIDDEN_TEXT = 'hidden text'

/** Clients get the tools of all servers in one message, and refuse one that is too long. */
export const MAX_LIST_CHARS = 4 * 1024 * 1024
const MAX_LEFT_OUT = 50
const MAX_SHOWN_NAME = 80

export interface CheckedList {
  readonly entries: readonly JsonObject[]
  readonly leftOut: readonly LeftOut[]
}

export interface CheckListOptions {
  /** What all entries may take together; by default, as much as they want. */
  readonly maxChars?: number
  /** Says why an entry cannot be shown; undefined if it can. */
  readonly refusal?: ((entry: JsonObject) => string | undefined) | undefined
}

/**
 * Checks each entry of a server's list once. An entry that clients would refuse is repaired or left
 * out, so that it hides neither the server's other entries nor those of other servers.
 */
export function checkList(
  list: ListName,
  given: readonly unknown[],
  { maxChars = Infinity, refusal }: CheckListOptions = {},
): CheckedList {
  const { kind, identity } = ENTRIES[list]
  const entries = new Map<unknown, JsonObject>()
  const leftOut: LeftOut[] = []
  let left = maxChars

  function leaveOutText(entry: JsonObject): void {
    const reason = 'models read it, and nothing shows it to people'
    leftOut.push({ kind: `${HIDDEN_TEXT} of ${kind}`, name: shown(entry[identity]), reason })
  }

  function check(entry: unknown): void {
    if (!isObject(entry)) throw new Unusable('it is no object')
    left -= measure(entry)
    if (left < 0) throw new Unusable(`the list takes more than ${maxChars / 1024} KB`)
    const checked = checkDefinition(list, entry, () => leaveOutText(entry))
    const reason = refusal?.(checked)
    if (reason !== undefined) throw new Unusable(reason)
    const id = checked[identity]
    const known = entries.get(id)
    if (!known) entries.set(id, checked)
    // The same entry comes twice when a list changes between two pages.
    else if (stringifyExact(known) !== stringifyExact(checked))
      throw new Unusable(`the list has two with this ${identity}; the first is used`)
  }

  for (const entry of given) {
    try {
      check(entry)
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      const name = isObject(entry) ? entry[identity] : undefined
      leftOut.push({ kind, name: shown(name), reason: error.message })
    }
  }
  return { entries: [...entries.values()], leftOut: shortened(leftOut, kind) }
}

function shown(name: unknown): string {
  if (typeof name !== 'string') return ''
  const clean = withoutInvisible(name.slice(0, MAX_SHOWN_NAME + 1))
  return clean.length > MAX_SHOWN_NAME ? `${clean.slice(0, MAX_SHOWN_NAME)}…` : clean
}

function shortened(leftOut: readonly LeftOut[], kind: string): readonly LeftOut[] {
  const more = leftOut.length - MAX_LEFT_OUT
  if (more <= 0) return leftOut
  const rest = { kind, name: '…', reason: `${more} more are left out` }
  return [...leftOut.slice(0, MAX_LEFT_OUT), rest]
}
