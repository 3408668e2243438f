import { type JsonObject, isObject } from '../../base/json/json.ts'
import type { Effect } from '../tools/effect.ts'

/** The validated content of `.mcp-gateway-rules.json`. */
export interface Rules {
  readonly agents: Readonly<Record<string, AgentRules>>
  /** Rules of groups, by the name of the group; they add to those of each agent. */
  readonly groups?: Readonly<Record<string, GroupRules>> | undefined
  readonly denyOnMissingAgent: boolean
}

/** What agents and groups may not do; nothing else of these rules counts. */
export type Denials = Pick<Rules, 'agents' | 'groups'>

export interface AgentRules {
  readonly allow?: AllowRules | undefined
  readonly ask?: AskRules | undefined
  readonly deny?: DenyRules | undefined
}

/** An entry of a list of tools: a pattern, or one with a condition on the arguments. */
export type ToolEntry = string | ConditionalTool

interface ConditionalTool {
  readonly tool: string
  /** A JSON Schema on the arguments; without it, the entry is about every call. */
  readonly when?: JsonObject | undefined
}

/** What a person is asked about before it happens; it narrows what is allowed, and grants nothing. */
export interface AskRules {
  readonly servers?: readonly string[] | undefined
  readonly tools?: Readonly<Record<string, readonly (string | AskEntry)[]>> | undefined
  /** The effects of tools that are asked about on every server. */
  readonly effects?: readonly Effect[] | undefined
}

export interface AskEntry extends ConditionalTool {
  /** Arguments that need no question, each a JSON Schema, or for one of the tools alone. */
  readonly unless?: readonly (JsonObject | ToolException)[] | undefined
}

/** Arguments that need no question for one tool of an entry about several. */
export interface ToolException {
  readonly server?: string | undefined
  readonly tool: string
  readonly when: JsonObject
}

/** Tells it from a schema, which has no such keywords. */
export function isToolException(entry: JsonObject | ToolException): entry is ToolException {
  return 'tool' in entry && isObject(entry['when'])
}

export interface AccessRules {
  readonly servers?: readonly string[] | undefined
  /** Tools per server; the key `*` stands for every server. */
  readonly tools?: Readonly<Record<string, readonly ToolEntry[]>> | undefined
}

/** The limits of a handle or a toolset, which have no conditions. */
export interface HandleLimits extends AccessRules {
  /** What these limits are called in decisions; `handle` when absent. */
  readonly rule?: string | undefined
  readonly maxTokens?: number | undefined
  readonly tools?: Readonly<Record<string, readonly string[]>> | undefined
}

interface AllowRules extends AccessRules {
  /** Whether the agent may run scripts over the tools that it may use. */
  readonly scripts?: boolean | undefined
}

export interface DenyRules extends AccessRules {
  /** The effects of tools that are denied on every server. */
  readonly effects?: readonly Effect[] | undefined
}

/** Rules for everybody that `match` selects: `groups.<name>` of the rules file. */
export interface GroupRules extends AgentRules {
  readonly match: GroupMatch
}

export type Patterns = string | readonly string[]

/** The members of a group: all conditions must hold. Names may have wildcards; case is ignored. */
export interface GroupMatch {
  /** People by their name, once they have signed in. */
  readonly user?: Patterns | undefined
  /** Agents by their id. */
  readonly agent?: Patterns | undefined
  /** The client that a token was issued to, by its name. */
  readonly client?: Patterns | undefined
  /** A claim of the person; `groups` includes the groups that they are in. */
  readonly claim?: string | undefined
  /** At least one value of that claim is among these. */
  readonly any?: readonly string[] | undefined
  /** Each of these is among the values of that claim. */
  readonly all?: readonly string[] | undefined
}
