import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { STATUS_CODES } from 'node:http'
import { type StorageFailure, storageFailure } from '../../../../storage/storage-failure.ts'
import { ApiError } from '../api-error.ts'
import type { TracesEnv } from './traces-env.ts'

const STORAGE_PROBLEMS: Record<StorageFailure, readonly [status: 409 | 503 | 507, detail: string]> =
  {
    duplicate: [409, 'Somebody else stored the same at the same moment'],
    full: [507, 'The database is out of space: nothing was stored. Free some space and try again'],
    unavailable: [503, 'The database cannot be reached at the moment: try again shortly'],
    malformed: [503, 'The database file is damaged: restore it from a backup'],
    transient: [503, 'The database is very busy: try again shortly'],
  }

/** Hints for errors that the framework raises. */
const HINTS: Readonly<Record<number, string>> = {
  415: 'Send the body as JSON, with Content-Type: application/json',
}

export type ReportFault = (error: unknown, requestId: string) => void

/** Converts an error to a problem document (RFC 9457), without details if it is unexpected. */
export function toProblem(error: unknown, c: Context<TracesEnv>, report: ReportFault): Response {
  const requestId = c.get('requestId')
  if (error instanceof ApiError)
    return problem(error.status, error.message, {
      requestId,
      extra: error.extra,
      headers: error.headers,
    })
  if (error instanceof HTTPException)
    return problem(error.status, HINTS[error.status] ?? (error.message || 'Bad request'), {
      requestId,
    })
  report(error, requestId)
  const failure = storageFailure(error)
  if (!failure) return problem(500, 'Something went wrong on our side', { requestId })
  const [status, detail] = STORAGE_PROBLEMS[failure]
  return problem(status, detail, {
    requestId,
    headers: status === 503 ? { 'Retry-After': '2' } : {},
  })
}

interface ProblemOptions {
  readonly requestId: string
  readonly extra?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

export function problem(status: number, detail: string, options: ProblemOptions): Response {
  const body = {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    ...options.extra,
    request_id: options.requestId,
  }
  return Response.json(body, {
    status,
    headers: {
      ...options.headers,
      'Content-Type': 'application/problem+json',
      'X-Request-ID': options.requestId,
    },
  })
}
