import { stringifyExact } from '../../base/json/exact-json.ts'
import { untilAborted } from '../../base/flow/time.ts'
import { isObject } from '../../base/json/json.ts'
import { askAll } from '../../gateway/questions/ask-client.ts'
import type { Authorized, CallResult } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { ScriptVersion } from '../../protocol/saved-scripts.ts'
import type { Outcome } from '../../sandbox/messages.ts'
import type { Script } from '../../sandbox/run.ts'
import { toToolError } from '../failure.ts'
import type { World } from '../world.ts'
import { withReport } from './run-report.ts'
import { inSlot, toAnswer } from './run-started.ts'
import { ScriptHost } from './script-host.ts'
import type { ScriptRunner } from './script-runner.ts'

/** Scripts below scripts: each has a virtual machine that waits for the next. */
const DEEPEST = 4
/** What is left to say why a script was ended, before its call is. */
const MARGIN_MS = 100

/**
 * Runs a saved script as the call of a tool: with the identity, the rules and the limits of whoever
 * calls it, whoever wrote it. A script that fails is a tool that fails, and says nothing about the
 * others.
 */
export async function runSaved(
  { name, version, source }: ScriptVersion,
  call: Authorized,
  world: World,
): Promise<CallResult> {
  const { scripts: runner } = world
  const { script: caller, plan = false } = call.options
  const path = [...(caller?.path ?? []), name]
  if (path.length > DEEPEST) return toToolError(tooDeep(path))
  const script = {
    source,
    input: stringifyExact(call.params['arguments'] ?? {}),
    wallMs: Math.min(runner.maxWallMs, timeLeft(call) ?? runner.limits.wallMs),
  }
  const host = new ScriptHost(call, world, { plan, parallel: runner.limits.parallel, path })
  const run = async () => runToEnd(script, host, { call, runner })
  // A script below another is part of it: waiting for a slot of its own could last for ever.
  const ended = caller ? await caller.nested(run) : await inSlot(runner, call, run)
  caller?.adopt(host.trail)
  try {
    const answer = toAnswer(ended, { host, about: script }, call, runner)
    return withReport(caller ? valueOf(answer) : withNotes(answer), call, host.trail)
  } catch (error) {
    if (error instanceof GatewayError)
      return inScript(toToolError(error), `${name}, version ${version}`)
    throw error
  }
}

/** A script that asks something waits here: it is part of a call that others may wait for. */
async function runToEnd(
  script: Script,
  host: ScriptHost,
  { call, runner }: { readonly call: Authorized; readonly runner: ScriptRunner },
): Promise<Outcome> {
  const { client, signal } = call
  let { outcome } = await runner.run(script, host, signal)
  while ('suspended' in outcome) {
    const { suspended } = outcome
    const { inputRequests } = host.open
    host.open.answer(await untilAborted(askAll(inputRequests, { client, signal }), signal))
    outcome = (await runner.resume(suspended, host, signal)).outcome
  }
  return outcome
}

function timeLeft({ signal: { deadlineAt } }: Authorized): number | undefined {
  return deadlineAt === undefined
    ? undefined
    : Math.max(1, Math.floor(deadlineAt - performance.now() - MARGIN_MS))
}

/** An object is the result of the tool as it is; anything else is its `result`. */
function valueOf({ structuredContent: answer }: CallResult): CallResult {
  const value = isObject(answer) ? answer['result'] : undefined
  const structured = isObject(value) ? value : { result: value ?? null }
  return {
    content: [{ type: 'text', text: stringifyExact(structured) }],
    structuredContent: structured,
  }
}

/** What else the script said stands beside its result, for whoever reads it. */
function withNotes(answer: CallResult): CallResult {
  const { structuredContent } = answer
  const { result: _, ...notes } = isObject(structuredContent) ? structuredContent : {}
  const { content, ...value } = valueOf(answer)
  const blocks = Array.isArray(content) ? content : []
  return Object.keys(notes).length === 0
    ? { content, ...value }
    : { content: [...blocks, { type: 'text', text: stringifyExact(notes) }], ...value }
}

/** Its caller has another source: the error names the saved script whose line failed. */
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
      ? `Saved scripts call each other more than ${DEEPEST} deep: ${chain}`
      : `The saved script '${repeated}' calls itself again and again: ${chain}`,
    {
      reason: 'too_deep',
      hint: 'Write the inner steps into one script, or let a script end before it comes to itself.',
    },
  )
}
