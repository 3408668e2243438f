import { addToList, removeFromList } from '../../base/json/edit-list.ts'
import { compilePattern } from '../../base/text/glob.ts'
import { valueAt } from '../issues.ts'
import { parseJson } from '../parse-text.ts'

/** What an agent shall be allowed or denied: a server, or one of its tools. */
export interface AccessChange {
  readonly agent: string
  readonly server: string
  readonly tool?: string | undefined
  readonly effect: 'allow' | 'deny'
}

/**
 * Changes the text of a rules file so that an agent is allowed or denied something, and keeps its
 * comments. Other rules, such as those of a group, may still decide otherwise.
 */
export function withAccess(text: string, change: AccessChange): string {
  return change.effect === 'deny' ? withDenial(text, change) : withAllowance(text, change)
}

function withDenial(text: string, { agent, server, tool }: AccessChange): string {
  const deny = ['agents', agent, 'deny']
  return tool === undefined
    ? add(text, [...deny, 'servers'], server)
    : add(text, [...deny, 'tools', server], tool)
}

function withAllowance(text: string, { agent, server, tool }: AccessChange): string {
  const [allow, deny] = [
    ['agents', agent, 'allow'],
    ['agents', agent, 'deny'],
  ]
  const undenied = remove(text, [...deny, 'servers'], server)
  const withServer = add(undenied, [...allow, 'servers'], server)
  if (tool === undefined) return withServer
  const withoutDenial = remove(withServer, [...deny, 'tools', server], tool)
  // Without a list, every tool of the server is allowed.
  const only = [...allow, 'tools', server]
  return listAt(withoutDenial, only) ? add(withoutDenial, only, tool) : withoutDenial
}

function add(text: string, path: readonly string[], name: string): string {
  const isThere = listAt(text, path)?.some(
    (entry) => typeof entry === 'string' && compilePattern(entry)(name),
  )
  return isThere ? text : addToList(text, path, name)
}

function remove(text: string, path: readonly string[], name: string): string {
  const at = listAt(text, path)?.indexOf(name) ?? -1
  return at === -1 ? text : removeFromList(text, path, at)
}

function listAt(text: string, path: readonly string[]): readonly unknown[] | undefined {
  const found = valueAt(parseJson(text), path)
  return Array.isArray(found) ? found : undefined
}
