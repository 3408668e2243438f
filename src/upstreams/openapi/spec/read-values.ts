import { type JsonObject, isObject } from '../../../base/json/json.ts'

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
