import { ERAS } from '../../protocol/eras/eras.ts'
import { type Approval, type PlannedCall, bondOf, bondOfAll } from '../approvals/approval.ts'
import {
  type Asker,
  type AskingParts,
  answerOf,
  canBeAskedNow,
  claim,
  isApproved,
  notApproved,
} from '../approvals/ask-person.ts'
import { toPlanQuestion, toQuestion } from '../approvals/to-question.ts'
import type { Authorized, CallResult } from '../call.ts'
import { GatewayError } from '../errors.ts'
import type { Handler, Layer } from '../pipeline.ts'
import type { TaskKeeper } from './tasks.ts'

const ASKED_ABOUT = new Set(['tools/call', 'resources/read', 'prompts/get'])

/**
 * Asks a person before a call, where a rule of `ask` says so, and uses the approval up before the
 * call goes on. Outside `cache`, whose results need the same question.
 */
export function approve(
  parts: AskingParts | undefined,
  tasks: TaskKeeper,
): Layer<Authorized, Authorized, CallResult> {
  return (next) => (call) => {
    if (!call.grant.ask || !ASKED_ABOUT.has(call.method)) return next(call)
    if (!parts) throw new GatewayError('DENIED_BY_POLICY', 'Nobody can be asked here')
    return approveFirst(parts, tasks, call, next)
  }
}

async function approveFirst(
  parts: AskingParts,
  tasks: TaskKeeper,
  call: Authorized,
  next: Handler<Authorized, CallResult>,
): Promise<CallResult> {
  const { approvals } = parts
  const subject = { bond: bondOf(call), toQuestion: async () => toQuestion(call) }
  const first = await claim(approvals, subject, call)
  if (first.state !== 'pending') return goOn(first, call, next)
  const { expireMs, waitMs } = approvals.options
  const waitFor = async (waiting: Authorized, ms: number, notShownMs = waitMs) =>
    goOn(await answerOf(parts, first, { subject, call: waiting, ms, notShownMs }), waiting, next)
  const isAsked = canBeAskedNow(approvals, first, call)
  // Whoever asks for a task gets one; a client that only knows them shows the question by itself.
  if (tasks.takes(call) && (!isAsked || ERAS[call.client.era].asksForTasks))
    return tasks.keep(call, async (task) => waitFor(task, expireMs, expireMs))
  return waitFor(call, isAsked ? expireMs : waitMs)
}

function goOn(
  approval: Approval,
  call: Authorized,
  next: Handler<Authorized, CallResult>,
): Promise<CallResult> | CallResult {
  if (!isApproved(approval)) throw notApproved(approval)
  call.event.approval = approval.id
  return next(call)
}

/** Asks about all calls of a plan at once; throws if they are not approved. */
export async function approvePlan(
  parts: AskingParts,
  planned: readonly PlannedCall[],
  call: Asker,
): Promise<void> {
  const { approvals } = parts
  const subject = {
    bond: bondOfAll(planned),
    toQuestion: async () => toPlanQuestion(planned, call),
  }
  const first = await claim(approvals, subject, call)
  const { expireMs, waitMs } = approvals.options
  const ms = canBeAskedNow(approvals, first, call) ? expireMs : waitMs
  const end =
    first.state === 'pending'
      ? await answerOf(parts, first, { subject, call, ms, notShownMs: waitMs })
      : first
  if (!isApproved(end)) throw notApproved(end)
}
