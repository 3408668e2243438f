/** What `.mcp-gateway-rules.json` says, validated. */
export interface Rules {
  readonly agents: Readonly<Record<string, AgentRules>>
  readonly denyOnMissingAgent: boolean
}

export interface AgentRules {
  readonly allow?: AccessRules | undefined
  readonly deny?: AccessRules | undefined
}

export interface AccessRules {
  readonly servers?: readonly string[] | undefined
  /** Patterns per server; the key `*` stands for every server. */
  readonly tools?: Readonly<Record<string, readonly string[]>> | undefined
}

/** What a rule gives: the layers within `authorize` cannot run without one. */
export interface Grant {
  /** The path of the rule that allowed the call. */
  readonly rule: string
  /** The most tokens a result may take; unlimited when absent. */
  readonly maxTokens?: number | undefined
}

export type Decision =
  | { readonly effect: 'allow'; readonly grant: Grant }
  | {
      readonly effect: 'deny'
      readonly rule: string
      readonly reason: 'unknown_agent' | 'server_not_allowed' | 'tool_not_allowed'
      readonly message: string
    }

/** Pure, so that one rule decides both what an agent sees listed and what it may call. */
export interface Policy {
  server(agent: string, server: string): Decision
  tool(agent: string, server: string, tool: string): Decision
  knows(agent: string): boolean
}
