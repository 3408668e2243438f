import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withTimeout } from '../../../base/flow/time.ts'
import { linkToTrace } from '../../../builtins/traces/common-trace-names.ts'
import type { Environment } from '../../../base/environment.ts'
import { type TracesConnection, connectTraces, homeOf } from '../connect-traces.ts'
import { loadHookConfig } from './hook-config.ts'
import type { HookAnswer, HookContext, SearchQuery } from './hook-context.ts'
import { type HookInput, parseHookInput } from './hook-input.ts'
import { limitMs } from './hooks-table.ts'
import { Memory } from './memory/memory.ts'
import { redact } from './redact.ts'
import { SessionLog } from './memory/session-log.ts'

/** A slow service must not slow down the agent. */
const REQUEST_MS = 3_000
const LOG_CAP = 256 * 1024
const LOG_LINE = 2_000

export interface HookRun {
  readonly event: string
  /** What Claude Code wrote to stdin. */
  readonly text: string
  readonly env: Environment
  /** When the process began, from which its time limit counts. */
  readonly startedAt?: number
  readonly command?: string
}

/** Answers one hook. Never throws and never delays the agent for long: it then answers nothing. */
export async function runHook(run: HookRun): Promise<string | undefined> {
  const { event, env, startedAt = Date.now() } = run
  try {
    const input = parseHookInput(run.text)
    const leftMs = startedAt + limitMs(event, input.tool) - Date.now()
    return toOutput(event, await withTimeout(respond(run, input), leftMs, () => undefined))
  } catch (error) {
    await log(homeOf(env), event, error)
    return undefined
  }
}

async function respond(run: HookRun, input: HookInput): Promise<HookAnswer> {
  const { env } = run
  let connecting: Promise<TracesConnection> | undefined
  const request: HookContext['request'] = async (method, path, body) => {
    connecting ??= connectTraces(env, { provision: true })
    const asked = connecting.then(async (service) => service.request(method, path, body))
    return withTimeout(asked, REQUEST_MS, () => {
      throw new Error(`${method} ${path}: no answer within ${REQUEST_MS} ms`)
    })
  }
  const config = await loadHookConfig(env)
  const home = homeOf(env)
  const context: HookContext = {
    env,
    home,
    config,
    log: new SessionLog(home, input.session),
    memory: new Memory(home),
    now: Date.now(),
    request,
    search: async (query) => search(request, query),
    linkTo: (id) => linkToTrace(env, id),
    command: run.command ?? 'npx portolan',
  }
  try {
    return await answer(run.event, input, context)
  } finally {
    await connecting?.then(async (service) => service.close()).catch(() => {})
  }
}

/** Loads only the module it needs, as each hook is a separate process, many times per session. */
async function answer(event: string, input: HookInput, context: HookContext): Promise<HookAnswer> {
  if (event === 'SessionStart')
    return (await import('./events/session-start.ts')).atSessionStart(input, context)
  if (event === 'UserPromptSubmit')
    return (await import('./events/at-prompt.ts')).atPrompt(input, context)
  if (event === 'Stop') return (await import('./events/at-stop.ts')).atStop(input, context)
  if (event === 'PreToolUse')
    return (await import('./events/before-write.ts')).beforeWrite(input, context)
  if (!event.startsWith('PostToolUse')) return {}
  if (input.tool === 'Bash')
    return (await import('./events/after-command.ts')).afterCommand(input, context)
  if (input.tool.endsWith('_trace'))
    return (await import('./events/after-trace-tool.ts')).afterTraceTool(input, context)
  return (await import('./events/after-edit.ts')).afterEdit(input, context)
}

async function search(
  request: HookContext['request'],
  query: SearchQuery,
): Promise<{ text: string; first: string | undefined }> {
  const { formatResults } = await import('../../../builtins/traces/adapter/format.ts')
  const { status, body } = await request('POST', '/traces/search', { limit: 3, ...query })
  const found = Array.isArray(body['results']) ? body['results'] : []
  // The agent did not ask, so it gets only what fits.
  const results = found.filter(({ weak }) => weak !== true)
  if (status !== 200 || results.length === 0) return { text: '', first: undefined }
  return { text: formatResults('', { ...body, results }), first: String(results[0].id) }
}

function toOutput(event: string, said: HookAnswer = {}): string | undefined {
  const { context, message, block } = said
  if (!context && !message && !block) return undefined
  return JSON.stringify({
    ...(block && { decision: 'block', reason: block }),
    ...(context && { hookSpecificOutput: { hookEventName: event, additionalContext: context } }),
    ...(message && { systemMessage: message }),
  })
}

async function log(home: string, event: string, error: unknown): Promise<void> {
  const file = join(home, 'hooks', 'errors.log')
  try {
    await mkdir(join(home, 'hooks'), { recursive: true, mode: 0o700 })
    const line = redact(`${new Date().toISOString()} ${event} ${String(error)}`).slice(0, LOG_LINE)
    const size = await stat(file).then(
      (found) => found.size,
      () => 0,
    )
    if (size + LOG_LINE > LOG_CAP) await keepNewerHalf(file)
    await appendFile(file, `${line.replaceAll('\n', ' ')}\n`, { mode: 0o600 })
  } catch {
    // The log cannot be written either, but a hook must never fail.
  }
}

async function keepNewerHalf(file: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.slice(text.indexOf('\n', text.length / 2) + 1), { mode: 0o600 })
}
