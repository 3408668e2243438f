import type { IncomingMessage } from 'node:http'
import type { Context, Hono } from 'hono'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import type { ApiVisit } from '../../kit/builtin-api.ts'
import { StatusError } from './status-error.ts'

/** The caller, and the code server with the permissions of that caller. */
export type Visit = ApiVisit

export interface ApiEnv {
  readonly Bindings: { readonly incoming: IncomingMessage }
  readonly Variables: { readonly visit: Visit }
}

export type CodeApi = Hono<ApiEnv>
export type ApiContext = Context<ApiEnv>

const RANK: Readonly<Record<Visit['role'], number>> = { agent: 0, viewer: 1, admin: 2 }

export function needRole(c: ApiContext, role: Visit['role']): Visit {
  const visit = c.get('visit')
  if (RANK[visit.role] >= RANK[role]) return visit
  throw new StatusError(403, `This needs a key of the role ${role}; yours is of ${visit.role}`)
}

/** Requires a local admin, for actions on the machine itself: its processes and its screen. */
export function needOperator(c: ApiContext): Visit {
  const visit = needRole(c, 'admin')
  if (visit.isLocal) return visit
  throw new StatusError(403, 'This is only for programs on the machine of the server')
}

const MAX_BODY = 1 << 20

export async function bodyOf(c: ApiContext): Promise<JsonObject> {
  const text = await readText(c.req.raw)
  try {
    const body: unknown = text === '' ? {} : JSON.parse(text)
    if (isObject(body)) return body
  } catch {
    // Reported below.
  }
  throw new StatusError(400, 'The request has to be a JSON object')
}

async function readText({ body }: Request): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MAX_BODY) throw new StatusError(413, `The request is larger than ${MAX_BODY} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Returns a string field that must not be missing or empty. */
export function required(body: JsonObject, name: string): string {
  const value = body[name]
  if (typeof value === 'string' && value !== '') return value
  throw new StatusError(400, `${name} is required`)
}

/** Returns the named fields that are set. */
export function only(body: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names
      .filter((name) => body[name] !== undefined && body[name] !== null)
      .map((name) => [name, body[name]]),
  )
}

/** Returns the list of a tool's answer; it is under `result`, because MCP requires an object. */
export function listOf(answer: JsonObject): readonly JsonObject[] {
  const { result } = answer
  return Array.isArray(result) ? result.filter(isObject) : []
}
