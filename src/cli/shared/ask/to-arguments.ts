import { InvalidArgumentError } from 'commander'
import { parseExact } from '../../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'

/** Reads the arguments of a tool as people type them: one JSON object, or name=value pairs. */
export function toArguments(given: readonly string[]): JsonObject {
  const [only] = given
  if (given.length === 1 && only?.trimStart().startsWith('{')) {
    const value = parsed(only)
    if (isObject(value)) return value
    throw new InvalidArgumentError(
      `not a JSON object: ${only}. Write it like '{"name": "value"}', or pass name=value pairs`,
    )
  }
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1)
        throw new InvalidArgumentError(
          `"${pair}" is not name=value. Pass such pairs, or one JSON object like '{"name": "value"}'`,
        )
      const text = pair.slice(at + 1)
      return [pair.slice(0, at), parsed(text) ?? text]
    }),
  )
}

/** Returns the parsed JSON value, or undefined for text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}
