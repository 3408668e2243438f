import { editJson } from '../../base/json/edit-json.ts'
import { addToList, removeFromList } from '../../base/json/edit-list.ts'
import { type JsonObject, canonicalJson, isObject } from '../../base/json/json.ts'
import { compilePattern } from '../../base/text/glob.ts'
import { valueAt } from '../issues.ts'
import { parseJson } from '../parse-text.ts'

/** What an agent shall be allowed, asked about or denied: a server, or one of its tools. */
export interface AccessChange {
  readonly agent: string
  readonly server: string
  readonly tool?: string | undefined
  readonly effect: 'allow' | 'ask' | 'deny'
  /**
   * A JSON Schema on the arguments of the calls that it is about. With `allow`, other calls of the
   * tool are denied.
   */
  readonly when?: JsonObject | undefined
}

/**
 * Changes the text of a rules file so that an agent is allowed, asked about or denied something, and
 * keeps its comments. Other rules, such as those of a group, may still decide otherwise.
 */
export function withAccess(text: string, change: AccessChange): string {
  const { agent, server, tool = '*', effect, when } = change
  const place: Place = {
    server,
    tool,
    isServer: change.tool === undefined,
    allow: ['agents', agent, 'allow'],
    ask: ['agents', agent, 'ask'],
    deny: ['agents', agent, 'deny'],
  }
  if (when === undefined) {
    if (effect === 'deny') return addPlace(text, place, 'deny')
    const allowed = allowAlways(text, place)
    return effect === 'ask' ? addPlace(allowed, place, 'ask') : askNever(allowed, place)
  }
  if (effect === 'allow') return allowOnly(text, place, when)
  const denials = [...place.deny, 'tools', server]
  const undenied = removeEntries(allowSome(text, place), denials, tool, isText)
  const unasked = effect === 'ask' && place.isServer ? askNever(undenied, place) : undenied
  return setCondition(unasked, [...place[effect], 'tools', server], tool, when)
}

type Path = readonly string[]

/** Where the entries about a server, or about one of its tools, are. */
interface Place extends Readonly<Record<AccessChange['effect'], Path>> {
  readonly server: string
  /** `*` for the whole server. */
  readonly tool: string
  readonly isServer: boolean
}

function allowServer(text: string, { server, allow, deny }: Place): string {
  return add(remove(text, [...deny, 'servers'], server), [...allow, 'servers'], server)
}

/** Allows what is not allowed at all, and leaves the conditions on what is. */
function allowSome(text: string, place: Place): string {
  const { server, tool, allow, isServer } = place
  const allowed = allowServer(text, place)
  const only = [...allow, 'tools', server]
  const list = listAt(allowed, only)
  const isListed = list?.some((entry) => compilePattern(toolOf(entry) ?? '')(tool))
  return !list || isServer || isListed ? allowed : addToList(allowed, only, tool)
}

function allowAlways(text: string, place: Place): string {
  const { server, tool, allow, deny, isServer } = place
  const allowed = removeEntries(allowServer(text, place), [...deny, 'tools', server], tool)
  const only = [...allow, 'tools', server]
  const list = listAt(allowed, only)
  // Without a list, every tool of the server is allowed.
  if (!list || (isServer && !list.some((entry) => toolOf(entry) === '*'))) return allowed
  return removeEntries(add(allowed, only, tool), only, tool, isObject)
}

function askNever(text: string, { server, tool, ask, isServer }: Place): string {
  const unasked = isServer ? remove(text, [...ask, 'servers'], server) : text
  return removeEntries(unasked, [...ask, 'tools', server], tool)
}

/** Allows calls whose arguments match, and denies others. */
function allowOnly(text: string, place: Place, when: JsonObject): string {
  const { server, tool, allow, deny } = place
  const denials = [...deny, 'tools', server]
  const allowed = removeEntries(allowServer(text, place), denials, tool)
  const only = [...allow, 'tools', server]
  const list = listAt(allowed, only) ?? (tool === '*' ? [] : ['*'])
  const isOtherwiseAllowed = list.some((entry) => {
    const pattern = toolOf(entry)
    if (pattern === undefined || pattern === tool) return false
    return tool === '*' || compilePattern(pattern)(tool)
  })
  // An entry of `allow` would not narrow what another entry, or no list at all, allows.
  return isOtherwiseAllowed
    ? setCondition(allowed, denials, tool, { not: when })
    : setCondition(allowed, only, tool, when)
}

function addPlace(text: string, place: Place, effect: 'ask' | 'deny'): string {
  const { server, tool, isServer } = place
  if (isServer) return add(text, [...place[effect], 'servers'], server)
  const path = [...place[effect], 'tools', server]
  // What is about every call of the tool needs no entry with a condition beside it.
  return removeEntries(add(text, path, tool), path, tool, isObject)
}

/** Removes the entries about exactly this tool, and no patterns that are about others as well. */
function removeEntries(
  text: string,
  path: Path,
  tool: string,
  which: (entry: unknown) => boolean = () => true,
): string {
  const at = listAt(text, path)?.findIndex((entry) => toolOf(entry) === tool && which(entry)) ?? -1
  if (at === -1) return text
  return removeEntries(removeFromList(text, path, at), path, tool, which)
}

/** Sets the condition of the entry about exactly this tool, which is added if there is none. */
function setCondition(text: string, path: Path, tool: string, when: JsonObject): string {
  const list = listAt(text, path) ?? []
  const at = list.findIndex((entry) => toolOf(entry) === tool)
  const entry = list[at]
  if (isObject(entry) && canonicalJson(entry['when']) === canonicalJson(when)) return text
  if (entry === undefined) return addToList(text, path, { tool, when })
  return editJson(text, [...path, at], { ...(isObject(entry) ? entry : { tool }), when })
}

const isText = (entry: unknown) => typeof entry === 'string'

function toolOf(entry: unknown): string | undefined {
  const tool = isObject(entry) ? entry['tool'] : entry
  return typeof tool === 'string' ? tool : undefined
}

function add(text: string, path: Path, name: string): string {
  const isThere = listAt(text, path)?.some(
    (entry) => typeof entry === 'string' && compilePattern(entry)(name),
  )
  return isThere ? text : addToList(text, path, name)
}

function remove(text: string, path: Path, name: string): string {
  const at = listAt(text, path)?.indexOf(name) ?? -1
  return at === -1 ? text : removeFromList(text, path, at)
}

function listAt(text: string, path: Path): readonly unknown[] | undefined {
  const found = valueAt(parseJson(text), path)
  return Array.isArray(found) ? found : undefined
}
