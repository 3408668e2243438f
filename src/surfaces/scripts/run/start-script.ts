import { stringifyExact } from '../../../base/json/exact-json.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import { untilAborted } from '../../../base/flow/time.ts'
import { askAll } from '../../../gateway/questions/ask-client.ts'
import type { Identified } from '../../../gateway/call.ts'
import type { GatewayError } from '../../../gateway/errors.ts'
import { ownerOfResults } from '../../../gateway/agents/on-behalf-of.ts'
import { RPC, RpcError } from '../../../protocol/json-rpc.ts'
import type { ScriptEnd, Outcome } from '../../../sandbox/messages.ts'
import type { Arguments } from '../../arguments.ts'
import type { World } from '../../world.ts'
import { toScriptError } from './script-failure.ts'
import { ScriptHost } from '../host/script-host.ts'
import { approveWrites } from './approve-writes.ts'
import type { ScriptRunner } from '../script-runner.ts'
import type { ExpiredScript, ScriptMemo } from './suspended-scripts.ts'
import { Trail } from '../host/trail.ts'

/** A script that is ready to run, from its start or from where it was suspended. */
export interface StartedScript {
  readonly host: ScriptHost
  /** Who may resume it after it was suspended. */
  readonly owner: string
  readonly about: Omit<ScriptMemo, 'trail' | 'open'>
  readonly start: () => Promise<ScriptEnd>
}

interface NewScript extends Pick<ScriptMemo, 'draft' | 'task'> {
  readonly world: World
}

export function newScript(
  args: Arguments,
  call: Identified,
  { world, draft, task }: NewScript,
): StartedScript {
  const { scripts: runner } = world
  const { limits, maxWallMs } = runner
  const source = args.required('code')
  const input = args.any('input')
  const wallMs = Math.min(args.positive('timeout_ms') ?? limits.wallMs, maxWallMs)
  const plan = args.flag('plan')
  const host = new ScriptHost(call, world, { plan, parallel: limits.parallel })
  const script = { source, wallMs, input: input === undefined ? undefined : stringifyExact(input) }
  const maxTokens = args.positive('max_tokens')
  return {
    host,
    owner: ownerOfResults(call.agent),
    about: { source, wallMs, plan, maxTokens, begunBy: call.event.id, draft, task },
    async start() {
      if (!plan) await approveWrites(script, call, world)
      return runner.run(script, host, call.signal)
    },
  }
}

interface Continued {
  readonly world: World
  readonly owner?: string
  /** The saved scripts that led to it, outermost first. */
  readonly path?: readonly string[]
}

/** Takes the suspended script that a request resumes: the caller's own, not resumed before. */
export async function continuedScript(
  state: unknown,
  call: Identified,
  { world, owner = ownerOfResults(call.agent), path = [] }: Continued,
): Promise<StartedScript> {
  const { scripts: runner } = world
  const taken = typeof state === 'string' ? await runner.suspended.take(state, owner) : undefined
  if (!taken)
    throw new RpcError(
      RPC.invalidParams,
      'requestState is unknown or has expired: call again without it',
    )
  if ('why' in taken) throw expired(taken, call, runner)
  const { suspended, memo } = taken
  const { trail, open, ...about } = memo
  const { parallel } = runner.limits
  const host = new ScriptHost(call, world, { plan: memo.plan, parallel, trail, open, path })
  host.open.answer(call.params['inputResponses'])
  // A task goes on within the call that started it; any other call gets that as its parent.
  if (memo.begunBy !== call.event.id) call.event.parent ??= memo.begunBy
  return { host, owner, about, start: async () => runner.resume(suspended, host, call.signal) }
}

export const WHY: Readonly<Record<ExpiredScript['why'], string>> = {
  late: 'Nobody answered the question of the script in time',
  resumed:
    'The question of the script was answered before, and the script went on with that answer',
  unreadable: 'The suspended script cannot be read: it was changed, or sealed with another key',
}

function expired(
  { why, trail }: ExpiredScript,
  call: Identified,
  { limits }: ScriptRunner,
): GatewayError {
  const script = { source: '', wallMs: limits.wallMs, limits, trail: new Trail(trail), call }
  return toScriptError({ code: 'script_expired', message: WHY[why] }, script)
}

/** The questions of a waiting script, and the state that resumes it. */
export interface Waiting {
  readonly inputRequests: JsonObject
  readonly requestState: string
}

/**
 * Runs a script to its end, or until a person has to be asked: then it is stored and its request
 * ends. A script that cannot be stored waits in memory.
 */
export async function runToQuestion(
  { host, owner, about, start }: StartedScript,
  { client, signal }: Identified,
  runner: ScriptRunner,
): Promise<Outcome | Waiting> {
  let { outcome } = await start()
  while ('suspended' in outcome) {
    const { suspended } = outcome
    const { inputRequests, all: open } = host.open
    const memo = { ...about, trail: host.trail.toRecord(), open }
    const requestState = await runner.suspended.keep({ suspended, memo }, owner)
    if (requestState !== undefined) {
      if (!signal.aborted) return { inputRequests, requestState }
      await runner.suspended.remove(requestState)
    }
    host.open.answer(await untilAborted(askAll(inputRequests, { client, signal }), signal))
    outcome = (await runner.resume(suspended, host, signal)).outcome
  }
  return outcome
}
