import { parseExact } from '../../base/json/exact-json.ts'
import type { CallResult, Identified } from '../../gateway/call.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { SMALLEST_ALLOWANCE } from '../../gateway/layers/budgets.ts'
import { ownerOfResults } from '../../gateway/agents/on-behalf-of.ts'
import { type Grant, rootOf } from '../../gateway/agents/policy.ts'
import type { Outcome } from '../../sandbox/messages.ts'
import { type MetaTool, answerWith, inputSchema } from '../discover/meta-tool.ts'
import type { World } from '../world.ts'
import { draftFrom, withProposal } from './propose-script.ts'
import { withReport } from './run-report.ts'
import { toScriptError } from './script-failure.ts'
import type { ScriptHost } from './script-host.ts'
import type { ScriptRunner } from './script-runner.ts'
import { type StartedScript, continuedScript, newScript, runToQuestion } from './start-script.ts'
import type { Trail } from './trail.ts'

export const runScript: MetaTool = {
  definition: {
    name: 'run_script',
    description:
      'Run JavaScript or TypeScript over all tools; only the last expression, or return, comes back. await tools.<server>.<tool>(args) is its value. Also find(query), describe(name), parallel(functions, {limit}), keep(value) → handle, read(handle), select(value, jmespath), log(), sleep(ms), input.',
    inputSchema: inputSchema(
      {
        code: { type: 'string' },
        input: {},
        max_tokens: { type: 'integer' },
        timeout_ms: { type: 'integer' },
        plan: { type: 'boolean', description: 'Only list writes' },
        save: { description: 'Propose as tool: name, description, input_schema' },
      },
      ['code'],
    ),
  },
  async answer(args, call, world) {
    const grant = grantFor(call, world)
    const { scripts: runner } = world
    const { requestState } = call.params
    const draft = draftFrom(args, args.text('code') ?? '')
    return inSlot(runner, call, async () => {
      const started =
        requestState === undefined
          ? newScript(args, call, world)
          : await continuedScript(requestState, call, world)
      const outcome = await runToQuestion(started, call, runner)
      if ('requestState' in outcome) return { resultType: 'input_required', ...outcome }
      const { host, about } = started
      const ran = toAnswer(outcome, started, call, runner)
      const value = draft
        ? await withProposal(ran, { ...draft, source: about.source }, { call, world })
        : ran
      const wantedTokens = about.maxTokens ?? runner.maxTokens
      const maxTokens = Math.min(wantedTokens, grant.maxTokens ?? Infinity)
      const answer = await shaped(value, { call, world, host, maxTokens })
      return withReport(answer, call, host.trail)
    })
  },
}

/** Whether an agent is shown `run_script`. */
export function mayRunScripts(
  agent: Identified['agent'],
  { policy }: Pick<World, 'policy'>,
): boolean {
  return policy.scripts(agent).effect === 'allow'
}

/** What the rules grant; denied with the rule that decides. */
function grantFor({ agent, event }: Identified, { policy }: World): Grant {
  const decision = policy.scripts(agent)
  if (decision.effect === 'allow') {
    event.rule = decision.grant.rule
    return decision.grant
  }
  const { message, rule, reason } = decision
  throw new GatewayError('DENIED_BY_POLICY', message, {
    rule,
    reason,
    hint: 'Call the tools one by one with execute_tool.',
  })
}

/** Scripts of one agent leave room for those of others. */
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

/** A script that has ended, and what it was. */
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

/** What the agent should know beside the result. */
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

/** Within what the agent may spend; the whole stays behind a handle. */
async function shaped(answer: CallResult, parts: Shaping): Promise<CallResult> {
  const { call, world, host, maxTokens } = parts
  const { result, tokenCount } = await world.shaper.shape(answer, {
    maxTokens: Math.max(maxTokens, SMALLEST_ALLOWANCE),
    owner: ownerOfResults(call.agent),
    server: '',
    tool: runScript.definition.name,
    arguments: {},
    outputSchema: undefined,
  })
  call.event.tokenCount = tokenCount
  const saved = host.trail.tokens - tokenCount
  if (saved > 0) call.event.tokensSaved = saved
  return result
}
