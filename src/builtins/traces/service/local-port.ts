import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { JsonObject } from '../../../base/json/json.ts'
import { withTimeout } from '../../../base/flow/time.ts'
import {
  OPERATIONS,
  type OperationCall,
  type Outcome,
  type TimeLimits,
  type TracesPort,
  limitMsOf,
} from '../port.ts'
import { admit, authenticate, requireRight } from './access.ts'
import { ApiError } from './api-error.ts'
import type { Deps } from './deps.ts'
import { type AnyOperation, SERVICE_OPERATIONS } from './operations.ts'
import { toProblem } from './problem.ts'
import { uuid } from './schemas.ts'

/** The service in this process: the tools call its operations directly. */
export function localPort(deps: Deps, limits: TimeLimits): TracesPort {
  return {
    async call(call) {
      const leftMs = limitMsOf(call, limits)
      const answering = answerCall(deps, { ...call, leftMs }).then(toOutcome)
      return withTimeout(answering, leftMs, () => ({ kind: 'degraded', reason: 'timeout' }))
    },
  }
}

export interface LocalCall extends OperationCall {
  readonly key: string | undefined
  readonly leftMs?: number | undefined
}

export interface Answer {
  readonly status: number
  readonly body: JsonObject
}

/** Answers a call as the REST API would, without HTTP. Never rejects. */
export async function answerCall(deps: Deps, call: LocalCall): Promise<Answer> {
  try {
    const answer = await run(deps, call, SERVICE_OPERATIONS[call.operation])
    return { status: 200, body: Array.isArray(answer) ? { list: answer } : { ...answer } }
  } catch (error) {
    const { status, body } = toProblem(error, randomUUID(), deps.onFault)
    return { status, body }
  }
}

async function run(
  deps: Deps,
  { operation, key, id = '', input = {}, leftMs }: LocalCall,
  action: AnyOperation,
): Promise<object> {
  const { kind, path } = OPERATIONS[operation]
  const account = await authenticate(deps, key, 'in-process')
  await admit(deps, account, kind)
  if (action.needs) requireRight(account, action.needs, deps.settings)
  return action.run(deps, {
    account,
    id: path.includes('{id}') ? parseInput(uuid, id) : '',
    input: action.input && parseInput(action.input, input),
    leftMs,
  })
}

/** Parses a part of a request; throws an error that names every field that does not fit. */
export function parseInput<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  const detail = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message))
  throw new ApiError(422, detail.join('; '), { extra: { errors } })
}

function toOutcome({ status, body }: Answer): Outcome {
  if (status < 400) return { kind: 'ok', body }
  if (status >= 500) return { kind: 'degraded', reason: 'unavailable' }
  if (status === 429)
    return {
      kind: 'degraded',
      reason: 'rate_limited',
      retryAfterSeconds: Number(body['retry_after_seconds']),
    }
  return { kind: 'refused', status, detail: String(body['detail']), problem: body }
}
