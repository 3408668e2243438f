import { STATUS_CODES } from 'node:http'
import { type StorageFailure, storageFailure } from '../../../storage/storage-failure.ts'
import { ApiError } from './api-error.ts'

const STORAGE_PROBLEMS: Record<StorageFailure, readonly [status: 409 | 503 | 507, detail: string]> =
  {
    duplicate: [409, 'Somebody else stored the same at the same moment'],
    full: [507, 'The database is out of space: nothing was stored. Free some space and try again'],
    unavailable: [503, 'The database cannot be reached at the moment: try again shortly'],
    malformed: [503, 'The database file is damaged: restore it from a backup'],
    transient: [503, 'The database is very busy: try again shortly'],
  }

export type ReportFault = (error: unknown, requestId: string) => void

/** A problem document (RFC 9457) with its status and headers. */
export interface Problem {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
}

/** Converts an error to a problem, without details if it is unexpected. */
export function toProblem(error: unknown, requestId: string, report: ReportFault): Problem {
  if (error instanceof ApiError)
    return problem(error.status, error.message, {
      requestId,
      extra: error.extra,
      headers: error.headers,
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

export function problem(
  status: number,
  detail: string,
  { requestId, extra, headers = {} }: ProblemOptions,
): Problem {
  return {
    status,
    body: {
      type: 'about:blank',
      title: STATUS_CODES[status] ?? 'Error',
      status,
      detail,
      ...extra,
      request_id: requestId,
    },
    headers,
  }
}
