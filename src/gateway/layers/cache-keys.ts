import { type JsonObject, canonicalJson, isObject } from '../../base/json/json.ts'
import { ownerOfResults } from '../agents/on-behalf-of.ts'
import type { Agent, Authorized } from '../call.ts'
import { toolKey } from '../tools/tool-ref.ts'
import { type Tool, stateKeyOf } from '../upstream.ts'

export interface Keys {
  /** The key of this agent's result. */
  readonly own: string
  /** The key of a result for all agents: by the rule, or because the upstream calls it public. */
  readonly shared: string
}

export interface Subject {
  readonly text: string
  /** Whether the call goes out with the credentials of one person. */
  readonly personal: boolean
}

/**
 * Returns what determines the result: the tool, its arguments, the project, and the sign-in and keys
 * that the call goes out with, so that no result outlives them.
 */
export async function subjectOf(call: Authorized): Promise<Subject> {
  const { upstream } = call
  const [text, credentials] = [await textOf(call), await upstream.credentials?.()]
  if (credentials === undefined) return { text, personal: false }
  return { text: JSON.stringify([text, credentials]), personal: true }
}

async function textOf({ tool, upstream, method, params, client }: Authorized): Promise<string> {
  const key = toolKey({ server: stateKeyOf(upstream), name: tool?.name ?? method })
  const args = isObject(params['arguments']) ? params['arguments'] : {}
  // Results of an API do not depend on the project; any other server may ask for it.
  if (upstream.kind === 'openapi')
    return JSON.stringify([key, '', canonicalJson(withoutDefaults(args, tool))])
  return JSON.stringify([key, (await client.project()).path, canonicalJson(args)])
}

/** Removes defaults: to an API, sending one means the same as leaving it out. */
function withoutDefaults(args: JsonObject, tool: Tool | undefined): JsonObject {
  const schema = tool?.definition['inputSchema']
  const properties = isObject(schema) ? schema['properties'] : undefined
  if (!isObject(properties)) return args
  const isDefault = ([name, value]: [string, unknown]) => {
    const property = properties[name]
    const usual = isObject(property) ? property['default'] : undefined
    return usual !== undefined && canonicalJson(usual) === canonicalJson(value)
  }
  return Object.fromEntries(Object.entries(args).filter((entry) => !isDefault(entry)))
}

/** What is obtained with the credentials of one person has no key that others share. */
export function keysOf({ text, personal }: Subject, agent: Agent, isShared: boolean): Keys {
  const own = `${ownerOfResults(agent)}|${text}`
  const shared = personal ? own : `*|${text}`
  return { shared, own: isShared ? shared : own }
}
