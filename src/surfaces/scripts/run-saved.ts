import { stringifyExact } from '../../base/json/exact-json.ts'
import { isObject } from '../../base/json/json.ts'
import type { Authorized, CallResult } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { ownerOfResults } from '../../gateway/agents/on-behalf-of.ts'
import { SCRIPTS_SERVER, type SavedScript } from '../../protocol/saved-scripts.ts'
import { toToolError } from '../failure.ts'
import type { World } from '../world.ts'
import { withReport } from './run/run-report.ts'
import { inSlot, toAnswer } from './run/run-started.ts'
import { ScriptHost } from './host/script-host.ts'
import { approveWrites } from './run/approve-writes.ts'
import { type StartedScript, continuedScript, runToQuestion } from './run/start-script.ts'

/** The deepest nesting of scripts: each has a virtual machine that waits for the next. */
const MAX_DEPTH = 4
/** Time to report why a script was ended, before its call is ended too. */
const MARGIN_MS = 100

/**
 * Runs a saved script as a tool call, with the identity, rules and limits of its caller, not of its
 * author. A script that fails is a failed tool and says nothing about other scripts; one that asks
 * something is stored, and asks as a modern server does.
 */
export async function runSaved(
  script: SavedScript,
  call: Authorized,
  world: World,
): Promise<CallResult> {
  const { scripts: runner } = world
  const { script: caller } = call.options
  const { name } = script
  const path = [...(caller?.path ?? []), name]
  if (path.length > MAX_DEPTH) return toToolError(tooDeep(path))
  const run = async () => {
    const started = await begin(script, call, { world, path })
    return { started, outcome: await runToQuestion(started, call, runner) }
  }
  try {
    // A nested script uses the slot of the outer one: waiting for its own could last for ever.
    const { started, outcome } = await (caller ? caller.nested(run) : inSlot(runner, call, run))
    if ('requestState' in outcome) return { resultType: 'input_required', ...outcome }
    const { trail } = started.host
    caller?.adopt(trail)
    const answer = toAnswer(outcome, started, call, runner)
    return withReport(caller ? valueOf(answer) : withNotes(answer), call, trail)
  } catch (error) {
    if (error instanceof GatewayError) return inScript(toToolError(error), name)
    throw error
  }
}

interface Beginning {
  readonly world: World
  readonly path: readonly string[]
}

/** Starts or resumes a script; only the same caller may resume it, as the same tool. */
async function begin(
  { name, source }: SavedScript,
  call: Authorized,
  { world, path }: Beginning,
): Promise<StartedScript> {
  const { scripts: runner } = world
  const { params, agent, event, options, signal } = call
  const owner = `${ownerOfResults(agent)} ${SCRIPTS_SERVER}.${name}`
  const { requestState } = params
  if (requestState !== undefined) return continuedScript(requestState, call, { world, owner, path })
  const { plan = false } = options
  const wallMs = Math.min(runner.maxWallMs, timeLeft(call) ?? runner.limits.wallMs)
  const input = stringifyExact(params['arguments'] ?? {})
  const host = new ScriptHost(call, world, { plan, parallel: runner.limits.parallel, path })
  return {
    host,
    owner,
    about: { source, wallMs, plan, maxTokens: undefined, begunBy: event.id },
    async start() {
      const script = { source, input, wallMs }
      // A script that calls this one has been planned with it.
      if (!plan && !options.script) await approveWrites(script, call, world, path)
      return runner.run(script, host, signal)
    },
  }
}

function timeLeft({ signal: { deadlineAt } }: Authorized): number | undefined {
  return deadlineAt === undefined
    ? undefined
    : Math.max(1, Math.floor(deadlineAt - performance.now() - MARGIN_MS))
}

/** Returns an object as the tool's result; any other value becomes its `result`. */
function valueOf({ structuredContent: answer }: CallResult): CallResult {
  const value = isObject(answer) ? answer['result'] : undefined
  const structured = isObject(value) ? value : { result: value ?? null }
  return {
    content: [{ type: 'text', text: stringifyExact(structured) }],
    structuredContent: structured,
  }
}

/** Adds what else the script said beside its result. */
function withNotes(answer: CallResult): CallResult {
  const { structuredContent } = answer
  const { result: _, ...notes } = isObject(structuredContent) ? structuredContent : {}
  const { content, ...value } = valueOf(answer)
  const blocks = Array.isArray(content) ? content : []
  return Object.keys(notes).length === 0
    ? { content, ...value }
    : { content: [...blocks, { type: 'text', text: stringifyExact(notes) }], ...value }
}

/** Names the saved script whose line failed, since its caller has another source. */
function inScript(failed: CallResult, script: string): CallResult {
  const [first, ...others]: unknown[] = Array.isArray(failed['content']) ? failed['content'] : []
  const text = isObject(first) ? String(first['text']) : ''
  const named = { type: 'text', text: `In the saved script ${script}:\n${text}` }
  return { ...failed, content: [named, ...others] }
}

function tooDeep(path: readonly string[]): GatewayError {
  const repeated = path.find((name, place) => path.indexOf(name) !== place)
  const chain = path.join(' → ')
  return new GatewayError(
    'SCRIPT_FAILED',
    repeated === undefined
      ? `Saved scripts call each other more than ${MAX_DEPTH} deep: ${chain}`
      : `The saved script '${repeated}' calls itself again and again: ${chain}`,
    {
      reason: 'too_deep',
      hint: 'Write the inner steps into one script, or let a script end before it comes to itself.',
    },
  )
}
