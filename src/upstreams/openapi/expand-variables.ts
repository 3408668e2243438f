import { isObject } from '../../base/json.ts'
import { SpecError } from './spec-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Replaces `${NAME}` and `${NAME:-default}` in every string of a pack; secrets get in no other way. */
export function expandVariables(value: unknown, env: Environment): unknown {
  if (typeof value === 'string') return expand(value, env)
  if (Array.isArray(value)) return value.map((item) => expandVariables(item, env))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, expandVariables(each, env)]),
  )
}

function expand(text: string, env: Environment): string {
  return text.replaceAll(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (_, name: string, fallback: string | undefined) => {
      const value = env[name] || fallback
      if (value !== undefined) return value
      throw new SpecError(`The environment variable ${name} is not set.`, `Set ${name} first.`)
    },
  )
}
