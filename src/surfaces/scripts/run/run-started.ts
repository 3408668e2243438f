import { parseExact } from '../../../base/json/exact-json.ts'
import type { CallResult, Identified } from '../../../gateway/call.ts'
import { MIN_ALLOWANCE } from '../../../gateway/layers/budgets.ts'
import { ownerOfResults } from '../../../gateway/agents/on-behalf-of.ts'
import { rootOf } from '../../../gateway/agents/policy.ts'
import type { Outcome } from '../../../sandbox/messages.ts'
import { answerWith } from '../../discover/meta-tool.ts'
import type { World } from '../../world.ts'
import { grantFor } from '../may-run-scripts.ts'
import { withProposal } from '../propose-script.ts'
import { withReport } from './run-report.ts'
import { toScriptError } from './script-failure.ts'
import type { ScriptHost } from '../host/script-host.ts'
import type { ScriptRunner } from '../script-runner.ts'
import { type StartedScript, runToQuestion } from './start-script.ts'
import type { Trail } from '../host/trail.ts'

/** The name of the tool that runs scripts. */
export const RUN_SCRIPT = 'run_script'

/** Starts or resumes a script once it has a slot. */
export type Begin = () => Promise<StartedScript>

/** Answers `run_script`: the result within the agent's limit, or the questions of the script. */
export async function runStarted(
  begin: Begin,
  call: Identified,
  world: World,
): Promise<CallResult> {
  const { scripts: runner } = world
  const grant = grantFor(call, world)
  return inSlot(runner, call, async () => {
    const started = await begin()
    const outcome = await runToQuestion(started, call, runner)
    if ('requestState' in outcome) return { resultType: 'input_required', ...outcome }
    const { host, about } = started
    const { source, draft, begunBy } = about
    const ran = toAnswer(outcome, started, call, runner)
    runner.recent.keep(begunBy, source)
    const value = draft ? await withProposal(ran, { ...draft, source }, { call, world }) : ran
    const wantedTokens = about.maxTokens ?? runner.maxTokens
    const maxTokens = Math.min(wantedTokens, grant.maxTokens ?? Infinity)
    const answer = await shaped(value, { call, world, host, maxTokens })
    return withReport(answer, call, host.trail)
  })
}

/** Runs work in a slot; scripts of one agent leave slots for those of others. */
export async function inSlot<Value>(
  { slots, slotLimits }: ScriptRunner,
  { agent, signal }: Identified,
  work: () => Promise<Value>,
): Promise<Value> {
  const holder = rootOf(agent)
  await slots.enter(holder, signal, slotLimits)
  try {
    return await work()
  } finally {
    slots.leave(holder)
  }
}

/** A script that has ended. */
interface Finished {
  readonly host: ScriptHost
  readonly about: Pick<StartedScript['about'], 'source' | 'wallMs'>
}

export function toAnswer(
  outcome: Outcome,
  { host: { trail }, about }: Finished,
  call: Identified,
  { limits }: ScriptRunner,
): CallResult {
  if ('failure' in outcome) {
    const { source, wallMs } = about
    throw toScriptError(outcome.failure, { source, wallMs, limits, trail, call })
  }
  const value = { result: parseExact(outcome.json), ...extras(trail) }
  return answerWith(value, value)
}

/** Collects what the agent should know beside the result. */
function extras(trail: Trail) {
  const unfinished = trail.unfinished()
  return {
    ...(trail.planned.length > 0 && { planned: trail.planned }),
    ...(trail.logs.length > 0 && { logs: trail.logs }),
    ...(unfinished.length > 0 && {
      unfinished,
      note: 'The script ended while these calls were under way: they may have had an effect.',
    }),
  }
}

interface Shaping {
  readonly call: Identified
  readonly world: World
  readonly host: ScriptHost
  readonly maxTokens: number
}

/** Shortens the answer to the agent's limit; the whole answer stays behind a handle. */
async function shaped(answer: CallResult, parts: Shaping): Promise<CallResult> {
  const { call, world, host, maxTokens } = parts
  const { result, tokenCount } = await world.shaper.shape(answer, {
    maxTokens: Math.max(maxTokens, MIN_ALLOWANCE),
    owner: ownerOfResults(call.agent),
    from: undefined,
    arguments: {},
    outputSchema: undefined,
  })
  call.event.tokenCount = tokenCount
  const saved = host.trail.tokens - tokenCount
  if (saved > 0) call.event.tokensSaved = saved
  return result
}
