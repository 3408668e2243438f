import { type JsonObject, isObject } from '../base/json/json.ts'

/** Reads a field of an answer that another part defines and that a budget may have shortened. */

export function textOf(from: JsonObject, name: string): string | null {
  const value = from[name]
  return typeof value === 'string' ? value : null
}

export function numberOf(from: JsonObject, name: string): number | null {
  const value = from[name]
  return typeof value === 'number' ? value : null
}

export function objectsOf(from: JsonObject, name: string): JsonObject[] {
  const value = from[name]
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function textsOf(from: JsonObject, name: string): string[] {
  const value = from[name]
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : []
}

export function objectOf(from: JsonObject, name: string): JsonObject {
  const value = from[name]
  return isObject(value) ? value : {}
}
