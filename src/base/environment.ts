import type { z } from 'zod'

export type Environment = Readonly<Record<string, string | undefined>>

/** Thrown when a variable has an unusable value; the message names the variable. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError'
}

/**
 * Reads the variables of a schema, whose names are the prefix plus the key: generic names such as
 * `DATABASE_URL` belong to the user's application. An empty variable counts as not set.
 */
export function parseEnvironment<Schema extends z.ZodObject>(
  schema: Schema,
  prefix: string,
  env: Environment,
): z.output<Schema> {
  const given = Object.keys(schema.shape).map((key) => [key, env[prefix + key] || undefined])
  const parsed = schema.safeParse(Object.fromEntries(given))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${prefix}${path.join('.')}: ${message}`,
  )
  throw new EnvironmentError(`Bad environment: ${problems.join('; ')}`)
}
