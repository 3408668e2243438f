import type { MiddlewareHandler } from 'hono'
import { z } from '@hono/zod-openapi'
import { problemDocument, uuid } from '../schemas.ts'
import type { TracesEnv } from './traces-env.ts'

/** Shared parts of the route definitions. */

export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { content: { 'application/json': { schema } }, required: true } as const
}

export function answer<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { content: { 'application/json': { schema } }, description }
}

const PROBLEMS: Record<number, string> = {
  401: 'No key, or none that is valid',
  403: 'Not allowed for this account',
  404: 'Not found',
  409: 'In conflict with what is stored',
  422: 'The request does not fit the schema or the rules',
  429: 'Too many requests: see Retry-After',
  503: 'Not available at the moment',
}

/** Declares a route's error responses; the error handler makes them, so handlers need no types. */
export function problems(...statuses: readonly number[]): object {
  const entries = statuses.map((status) => [
    status,
    {
      content: { 'application/problem+json': { schema: problemDocument } },
      description: PROBLEMS[status] ?? 'Refused',
    },
  ])
  return Object.fromEntries(entries)
}

export const idParam = z.object({ id: uuid.openapi({ param: { name: 'id', in: 'path' } }) })

export function guarded(...guards: readonly MiddlewareHandler<TracesEnv>[]) {
  return [...guards]
}

export const SECURED = [{ ApiKey: [] }]
export const ADMIN_ONLY = [{ AdminToken: [] }]
