export interface Hook {
  readonly event: string
  /** Which tools, as Claude Code matches them. */
  readonly matcher?: string
  /** After this Claude Code ends the hook. */
  readonly seconds: number
}

const TRACE_TOOLS = 'mcp__.*__(get_trace|contribute_trace|vote_trace|execute_tool)'

export const HOOKS: readonly Hook[] = [
  { event: 'SessionStart', matcher: 'startup', seconds: 10 },
  { event: 'UserPromptSubmit', seconds: 3 },
  // Before the file is there: afterwards nobody could tell that it is new.
  { event: 'PreToolUse', matcher: 'Write', seconds: 3 },
  { event: 'PostToolUse', matcher: 'Bash', seconds: 5 },
  {
    event: 'PostToolUse',
    matcher: `Write|Edit|MultiEdit|NotebookEdit|WebSearch|WebFetch|${TRACE_TOOLS}`,
    seconds: 3,
  },
  { event: 'PostToolUseFailure', matcher: `Bash|${TRACE_TOOLS}`, seconds: 3 },
  { event: 'Stop', seconds: 5 },
]

/** What is kept back, so that we end before we are ended. */
const RESERVE_MS = 500

/** How long a hook may take in all; the shortest of its event, where the tool decides. */
export function limitMs(event: string, tool: string): number {
  const own = HOOKS.filter((hook) => hook.event === event)
  const hook = own.find(({ matcher }) => matcher === tool) ?? own.at(-1)
  return (hook?.seconds ?? 3) * 1000 - RESERVE_MS
}
