import type { CallDetail } from '../../../../src/dashboard/contract/calls.ts'
import type { ToolRunAnswer, ToolRunError } from '../../../../src/dashboard/contract/run.ts'

/** What a call has answered: a run of this page, or a recorded call. */
export interface RunOutcome {
  readonly name: string
  readonly call: string
  /** When it ended, if it is in the record. */
  readonly at: string | null
  readonly agent: string | null
  readonly outcome: string
  readonly durationMs: number
  readonly tokenCount: number | null
  readonly arguments: string | null
  readonly result: string | null
  readonly isCut: boolean
  readonly error: ToolRunError | null
}

export function ofAnswer(answer: ToolRunAnswer, args: string, number: number): RunOutcome {
  return { ...answer, name: `Run ${number}`, at: null, arguments: args }
}

/** A recorded call; it has a result only if results were being kept. */
export function ofRecord({ call, kept }: CallDetail): RunOutcome {
  const { error, reason, rule, approval } = call
  const message = error ?? reason
  return {
    name: 'Recorded call',
    call: call.id,
    at: call.at,
    agent: call.agent,
    outcome: call.outcome,
    durationMs: call.durationMs,
    tokenCount: call.tokenCount,
    arguments: kept?.arguments ?? call.arguments,
    result: kept?.result ?? null,
    isCut: kept?.isCut ?? false,
    error: message === null ? null : { message, rule, approval, hint: null },
  }
}
