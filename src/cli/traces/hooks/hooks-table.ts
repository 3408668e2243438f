export interface Hook {
  readonly event: string
  /** The tools it applies to, as a matcher of Claude Code. */
  readonly matcher?: string
  /** The timeout after which Claude Code ends the hook. */
  readonly seconds: number
}

const TRACE_TOOLS = 'mcp__.*__(get_trace|contribute_trace|vote_trace|execute_tool)'

export const HOOKS: readonly Hook[] = [
  { event: 'SessionStart', matcher: 'startup', seconds: 10 },
  { event: 'UserPromptSubmit', seconds: 3 },
  // Before the file exists: afterwards it could not be recognised as new.
  { event: 'PreToolUse', matcher: 'Write', seconds: 3 },
  { event: 'PostToolUse', matcher: 'Bash', seconds: 5 },
  {
    event: 'PostToolUse',
    matcher: `Write|Edit|MultiEdit|NotebookEdit|${TRACE_TOOLS}`,
    seconds: 3,
  },
  { event: 'PostToolUseFailure', matcher: `Bash|${TRACE_TOOLS}`, seconds: 3 },
  { event: 'Stop', seconds: 5 },
]

/** The time kept in reserve, so that the hook ends before Claude Code ends it. */
const RESERVE_MS = 500

/** How long a hook may take; if no matcher equals the tool, the event's last hook counts. */
export function limitMs(event: string, tool: string): number {
  const own = HOOKS.filter((hook) => hook.event === event)
  const hook = own.find(({ matcher }) => matcher === tool) ?? own.at(-1)
  return (hook?.seconds ?? 3) * 1000 - RESERVE_MS
}
