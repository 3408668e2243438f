import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { HttpError } from '../http/http-error.ts'
import type { DashboardApi } from './contract.ts'
import type { Role } from './contract/access.ts'
import type { Visitor } from './access/visitor.ts'

type Key = keyof DashboardApi
/** Makes fields that were left out readable as undefined. */
type Loose<Fields> = { readonly [Name in keyof Fields]: Fields[Name] | undefined }
type QueryOf<K extends Key> = DashboardApi[K] extends { query: infer Query } ? Loose<Query> : object
type BodyOf<K extends Key> = DashboardApi[K] extends { body: infer Body } ? Loose<Body> : object

interface AskBase {
  readonly visitor: Visitor
  /** The named parameters of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly request: IncomingMessage
  /** Sets a header of the answer. */
  readonly setHeader: (name: string, value: string) => void
}

interface Ask<K extends Key> extends AskBase {
  readonly query: QueryOf<K>
  readonly body: BodyOf<K>
}

interface RawAsk extends AskBase {
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface RouteOptions<K extends Key> {
  /** The required role: `agent` admits every identified visitor, `null` anybody. */
  readonly role: Role | null
  /** Requests that are not GET change something, unless this is false: see access/may-change.ts. */
  readonly changes?: false
  readonly query?: z.ZodType<QueryOf<K>>
  readonly body?: z.ZodType<BodyOf<K>>
  answer(ask: Ask<K>): DashboardApi[K]['answer'] | Promise<DashboardApi[K]['answer']>
}

/** A route in the form that Hono's router takes. */
export interface Route {
  readonly method: string
  readonly path: string
  readonly role: Role | null
  readonly changes: boolean
  readonly answer: (ask: RawAsk) => Promise<unknown>
}

/** Implements one line of the contract. */
export function defineRoute<K extends Key>(key: K, options: RouteOptions<K>): Route {
  const [method = '', path = ''] = key.split(' ')
  const query: z.ZodType = options.query ?? z.object({})
  const body: z.ZodType = options.body ?? z.unknown()
  return {
    method,
    path,
    role: options.role,
    changes: method !== 'GET' && options.changes !== false,
    async answer(ask) {
      const parsed = {
        ...ask,
        query: parseQuery(query, ask.query),
        body: parseQuery(body, ask.body),
      }
      // A route whose contract has a query or a body also has the schema for it.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return options.answer(parsed as Ask<K>)
    },
  }
}

/** Parses what was asked; a mistake is the answer of the request. */
export function parseQuery<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  )
  throw new HttpError(400, 'INVALID_PARAMS', problems.join('; '), 'See src/dashboard/contract.ts.')
}
