import type { ApiRefusal, JsonObject } from 'portolan'

/** Reads documents we did not write: a value of the wrong type counts as absent. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function texts(value: unknown): readonly string[] {
  return list(value).filter((item) => typeof item === 'string')
}

export function object(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Makes the error that refuses a call. */
export function refusal(
  kind: ApiRefusal['kind'],
  message: string,
  details: ApiRefusal['details'],
): Error {
  return Object.assign(new Error(message), { kind, details })
}

export function isRefusal(error: unknown): error is ApiRefusal {
  return error instanceof Error && 'kind' in error && 'details' in error
}
