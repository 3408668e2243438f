import { appendFile, mkdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type Env, connectTraces, homeOf } from '../traces/connect-traces.ts'
import { afterTool } from './after-tool.ts'
import { HookState } from './hook-state.ts'
import { atSessionStart } from './session-start.ts'
import { atStop } from './stop.ts'
import { Triggers } from './triggers.ts'

const input = z.looseObject({
  session_id: z.string().default('unknown'),
  cwd: z.string().default('.'),
  tool_name: z.string().default(''),
  tool_input: z
    .looseObject({ command: z.string().optional(), trace_id: z.string().optional() })
    .default({}),
  tool_response: z.unknown().optional(),
  error: z.string().optional(),
  stop_hook_active: z.boolean().default(false),
})
export type HookInput = z.output<typeof input>

export interface HookContext {
  readonly state: HookState
  readonly triggers: Triggers
  /** Searches the service; an empty text when there is nothing, or no answer in time. */
  readonly search: (query: SearchQuery) => Promise<{ text: string; first: string | undefined }>
  /** Tells the service what was saved, without identity; only where the user has turned telemetry on. */
  readonly reportSaved: (minutes: number) => Promise<void>
  /** The same for what the triggers of a session did, and for being alive. */
  readonly report: (path: string, body: Record<string, unknown>) => Promise<void>
  readonly now: number
}

export interface SearchQuery {
  readonly q: string
  readonly tags?: readonly string[]
  readonly context?: Readonly<Record<string, string>>
}

const DEADLINE_MS = 3_000
const LOG_CAP = 256 * 1024

/** Answers one hook. It never fails and never delays the agent for long: then it just says nothing. */
export async function runHook(event: string, text: string, env: Env): Promise<string | undefined> {
  const home = homeOf(env)
  const state = new HookState(home)
  const context: HookContext = {
    state,
    triggers: new Triggers(home),
    now: Date.now(),
    search: async (query) => search(env, query),
    reportSaved: async (minutes) =>
      report(env, '/telemetry/savings', {
        minutes_saved: minutes,
        tokens_saved: 0,
        event_type: 'measured_recurrence',
      }),
    report: async (path, body) => report(env, path, body),
  }
  try {
    const parsed = input.parse(JSON.parse(text))
    const late = new Promise<undefined>((resolve) => {
      setTimeout(resolve, DEADLINE_MS, undefined).unref()
    })
    return await Promise.race([answer(event, parsed, context), late])
  } catch (error) {
    await log(home, error)
    return undefined
  }
}

async function answer(
  event: string,
  parsed: HookInput,
  context: HookContext,
): Promise<string | undefined> {
  if (event === 'SessionStart') return injected(event, await atSessionStart(parsed, context))
  if (event === 'PostToolUse' || event === 'PostToolUseFailure')
    return injected(event, await afterTool(parsed, context))
  if (event !== 'Stop') return undefined
  const reason = await atStop(parsed, context)
  return reason && JSON.stringify({ decision: 'block', reason })
}

function injected(
  hookEventName: string,
  additionalContext: string | undefined,
): string | undefined {
  return additionalContext
    ? JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } })
    : undefined
}

async function search(
  env: Env,
  query: SearchQuery,
): Promise<{ text: string; first: string | undefined }> {
  const { formatResults } = await import('../../servers/traces/format.ts')
  const connection = await connectTraces(env)
  try {
    const { status, body } = await connection.request('POST', '/traces/search', {
      limit: 3,
      ...query,
    })
    const results = Array.isArray(body['results']) ? body['results'] : []
    if (status !== 200 || results.length === 0) return { text: '', first: undefined }
    return { text: formatResults('', body), first: String(results[0].id) }
  } finally {
    await connection.close()
  }
}

async function report(env: Env, path: string, body: Record<string, unknown>): Promise<void> {
  if (env['COMMONTRACE_TELEMETRY'] !== 'true') return
  const connection = await connectTraces(env)
  try {
    await connection.request('POST', path, body)
  } finally {
    await connection.close()
  }
}

async function log(home: string, error: unknown): Promise<void> {
  const file = join(home, 'hooks', 'errors.log')
  try {
    await mkdir(join(home, 'hooks'), { recursive: true, mode: 0o700 })
    const size = await stat(file).then(
      (found) => found.size,
      () => 0,
    )
    if (size > LOG_CAP) await truncate(file)
    await appendFile(file, `${new Date().toISOString()} ${String(error)}\n`, { mode: 0o600 })
  } catch {
    // Not even the log can be written: silence is the promise.
  }
}
