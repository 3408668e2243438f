import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import type { DashboardApi, Role } from './contract.ts'
import { Refusal } from './refusal.ts'
import type { Visitor } from './visitor.ts'

type Key = keyof DashboardApi
/** What was left out reads as undefined. */
type Loose<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | undefined }
type QueryOf<K extends Key> = DashboardApi[K] extends { query: infer Query } ? Loose<Query> : object
type BodyOf<K extends Key> = DashboardApi[K] extends { body: infer Body } ? Loose<Body> : object

export interface Ask<K extends Key> {
  readonly visitor: Visitor
  /** The parts of the path that stand for names. */
  readonly params: Readonly<Record<string, string>>
  readonly query: QueryOf<K>
  readonly body: BodyOf<K>
  readonly request: IncomingMessage
  /** To set a header of the answer. */
  readonly response: Pick<ServerResponse, 'setHeader'>
}

export interface RouteOptions<K extends Key> {
  /** Who may ask: `agent` is anybody who is known, `null` anybody at all. */
  readonly role: Role | null
  readonly query?: z.ZodType<QueryOf<K>>
  readonly body?: z.ZodType<BodyOf<K>>
  answer(ask: Ask<K>): DashboardApi[K]['answer'] | Promise<DashboardApi[K]['answer']>
}

export interface RawAsk {
  readonly visitor: Visitor
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: unknown
  readonly request: IncomingMessage
  readonly response: Pick<ServerResponse, 'setHeader'>
}

export interface Route {
  readonly method: string
  readonly segments: readonly string[]
  readonly role: Role | null
  answer(ask: RawAsk): Promise<unknown>
}

/** One line of the contract and how it is answered. */
export function defineRoute<K extends Key>(key: K, options: RouteOptions<K>): Route {
  const [method = '', path = ''] = key.split(' ')
  const query: z.ZodType = options.query ?? z.object({})
  const body: z.ZodType = options.body ?? z.unknown()
  return {
    method,
    segments: toSegments(path),
    role: options.role,
    async answer(ask) {
      const parsed = {
        ...ask,
        query: parse(query, Object.fromEntries(ask.query)),
        body: parse(body, ask.body),
      }
      // A route whose line of the contract has a query or a body has the schema that makes it.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return options.answer(parsed as Ask<K>)
    },
  }
}

export interface Found {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

/** The route of a path below `/api/dashboard`. */
export function findRoute(routes: readonly Route[], method: string, path: string): Found {
  const segments = toSegments(path)
  const onPath = routes.flatMap((route) => {
    const params = matchSegments(route.segments, segments)
    return params ? [{ route, params }] : []
  })
  const found = onPath.find(({ route }) => route.method === method)
  if (found) return found
  if (onPath.length === 0) throw new Refusal(404, 'NOT_FOUND', `There is nothing at ${path}`)
  throw new Refusal(405, 'METHOD_NOT_ALLOWED', `${method} is not possible at ${path}`)
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = decode(segment)
    else if (part !== segment) return undefined
  }
  return params
}

function toSegments(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch (cause) {
    throw new Refusal(400, 'INVALID_PARAMS', `"${segment}" is not well encoded`, String(cause))
  }
}

function parse(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  )
  throw new Refusal(400, 'INVALID_PARAMS', problems.join('; '), 'See src/dashboard/contract.ts.')
}
