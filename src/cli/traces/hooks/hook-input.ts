import { z } from 'zod'

const input = z.looseObject({
  session_id: z.string().default('unknown'),
  cwd: z.string().default('.'),
  tool_name: z.string().default(''),
  tool_input: z.record(z.string(), z.unknown()).default({}),
  tool_response: z.unknown().optional(),
  error: z.string().optional(),
  error_message: z.string().optional(),
  prompt: z.string().default(''),
  stop_hook_active: z.boolean().default(false),
})

/** The input of a hook of Claude Code, with our names. */
export interface HookInput {
  readonly session: string
  readonly cwd: string
  /** `Bash`, `Write`…; for MCP tools only the last part of the name. */
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly response: unknown
  /** Set when the tool itself failed. */
  readonly error: string | undefined
  readonly prompt: string
  readonly isContinued: boolean
}

export function parseHookInput(text: string): HookInput {
  const found = input.parse(JSON.parse(text))
  return {
    session: found.session_id,
    cwd: found.cwd,
    ...toTool(found.tool_name, found.tool_input),
    response: found.tool_response,
    error: found.error ?? found.error_message,
    prompt: found.prompt,
    isContinued: found.stop_hook_active,
  }
}

/** Unwraps `execute_tool`, which calls every tool on the discovery surface. */
function toTool(name: string, args: Record<string, unknown>): Pick<HookInput, 'tool' | 'args'> {
  const tool = lastPart(name)
  if (tool !== 'execute_tool') return { tool, args }
  const inner = z.record(z.string(), z.unknown()).safeParse(args['args'] ?? args['arguments'])
  return { tool: lastPart(textOf(args['tool'])), args: inner.data ?? {} }
}

function lastPart(name: string): string {
  return name.split('__').at(-1) ?? ''
}

/** Returns the text of a tool's answer: a string, content blocks, or a result with them. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textOf).join('\n')
  if (typeof value !== 'object' || value === null) return ''
  const { text, content }: { text?: unknown; content?: unknown } = value
  return textOf(text ?? content)
}
