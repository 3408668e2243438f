import { createHash, timingSafeEqual } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { type RouteConfig, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { Account } from '../../../../storage/tables/trace-tables.ts'
import { TIMEOUT_HEADER } from '../../port.ts'
import { type Right, admit, authenticate, requireRight } from '../../service/access.ts'
import { ApiError } from '../../service/api-error.ts'
import type { Deps } from '../../service/deps.ts'
import { parseInput } from '../../service/local-port.ts'
import { uuid } from '../../service/schemas.ts'
import { problemDocument } from '../documents.ts'
import type { TracesApp, TracesEnv } from './traces-env.ts'

type Method = 'GET' | 'POST' | 'DELETE'

interface Route<Input, Answer extends object, Caller = unknown> {
  readonly method: Method
  /** Below `/api/v1`; it may contain `{id}`. */
  readonly path: string
  readonly summary: string
  /** The body, or the query of a GET request; absent where there is none. */
  readonly input?: z.ZodType<Input>
  /** The status of an answer; with 204 it has no body. */
  readonly status?: 200 | 201 | 202 | 204
  readonly answer: z.ZodType<Answer>
  /** What is to be known of the answer, for the OpenAPI document. */
  readonly means?: string
  /** Statuses that the route refuses with, besides those that follow from the rest. */
  readonly problems?: readonly number[]
  run(call: RouteCall<Input> & Caller): Promise<Answer> | Answer
}

interface RouteCall<Input> {
  readonly id: string
  readonly input: Input
  readonly leftMs: number | undefined
  readonly c: Context<TracesEnv>
}

interface Keyed {
  readonly account: Account
}

interface KeyedRoute<Input, Answer extends object> extends Route<Input, Answer, Keyed> {
  /** What the account must have, besides a valid key. */
  readonly needs?: Right | undefined
  /** The limit that the calls count against; without one, they are not counted. */
  readonly kind?: 'read' | 'write' | 'other'
}

/** Adds routes to the API and to its OpenAPI document. */
export interface Routes {
  everyone<Input, Answer extends object>(route: Route<Input, Answer>): void
  /** Only for the owner of the service, by the admin token. */
  owner<Input, Answer extends object>(route: Route<Input, Answer>): void
  keyed<Input, Answer extends object>(route: KeyedRoute<Input, Answer>): void
}

interface Security {
  readonly security?: Record<string, string[]>[]
  readonly problems: readonly number[]
}

export function routesOf(app: TracesApp, deps: Deps): Routes {
  function add<Input, Answer extends object, Caller extends object>(
    route: Route<Input, Answer, Caller>,
    known: Security,
    check: (c: Context<TracesEnv>) => Promise<Caller>,
  ): void {
    const { method, path, input, status = 200 } = route
    app.openAPIRegistry.registerPath(describe(route, known))
    app.on(method, `/api/v1${path.replace('{id}', ':id')}`, async (c) => {
      const caller = await check(c)
      const call: RouteCall<Input> = {
        id: path.includes('{id}') ? parseInput(uuid, c.req.param('id')) : '',
        input: parseInput(input ?? z.any(), input && (await readInput(c, method))),
        leftMs: waitsMs(c),
        c,
      }
      const answer = await route.run(Object.assign(caller, call))
      return status === 204 ? c.body(null, 204) : c.json(answer, status)
    })
  }
  const { apiKeyHeaderName, adminDashboardToken } = deps.settings
  return {
    everyone: (route) => add(route, { problems: [] }, async () => ({})),
    owner: (route) =>
      add(route, { security: [{ AdminToken: [] }], problems: [401, 503] }, async (c) => {
        requireOwner(c.req.header('X-Admin-Token'), adminDashboardToken)
        return {}
      }),
    keyed: (route) => {
      const { kind, needs } = route
      const problems = needs ? [401, 403, 429] : [401, 429]
      add(route, { security: [{ ApiKey: [] }], problems }, async (c) => {
        const account = await authenticate(deps, c.req.header(apiKeyHeaderName), addressOf(c))
        if (kind) await admit(deps, account, kind)
        if (needs) requireRight(account, needs, deps.settings)
        return { account }
      })
    },
  }
}

export function addressOf(c: Context<TracesEnv>): string {
  return c.env?.incoming?.socket?.remoteAddress ?? 'in-process'
}

async function readInput(c: Context<TracesEnv>, method: Method): Promise<unknown> {
  if (method === 'GET') return c.req.query()
  if (!/^application\/([a-z-.]+\+)?json\b/i.test(c.req.header('Content-Type') ?? ''))
    throw new HTTPException(415)
  try {
    return await c.req.json<unknown>()
  } catch (cause) {
    throw new HTTPException(400, { message: 'Malformed JSON in request body', cause })
  }
}

/** Returns how long the caller waits for the answer, if its header says so. */
function waitsMs(c: Context<TracesEnv>): number | undefined {
  const ms = Number(c.req.header(TIMEOUT_HEADER))
  return ms > 0 ? ms : undefined
}

/** Accepts the raw token or its SHA-256 in lower-case hex; compares in constant time. */
function requireOwner(given: string | undefined, token: string): void {
  if (token === '')
    throw new ApiError(
      503,
      'The admin routes are off: set PORTOLAN_TRACES_ADMIN_DASHBOARD_TOKEN to use them',
    )
  const expected = sha256(token)
  const hashed = given ?? ''
  if (!same(sha256(hashed), expected) && !same(hashed, expected))
    throw new ApiError(401, 'Invalid admin token')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function same(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)))
}

const PROBLEMS: Readonly<Record<number, string>> = {
  401: 'No key, or none that is valid',
  403: 'Not allowed for this account',
  404: 'Not found',
  409: 'In conflict with what is stored',
  422: 'The request does not fit the schema or the rules',
  429: 'Too many requests: see Retry-After',
  503: 'Not available at the moment',
}

function describe<Input, Answer extends object, Caller>(
  route: Route<Input, Answer, Caller>,
  { security, problems }: Security,
): RouteConfig {
  const { method, path, summary, input, status = 200, answer } = route
  const content = { 'application/json': { schema: answer } }
  return {
    method: METHODS[method],
    path: `/api/v1${path}`,
    summary,
    ...(security && { security }),
    request: {
      ...(path.includes('{id}') && { params: z.object({ id: uuid }) }),
      ...(input && describeInput(method, input)),
    },
    responses: {
      [status]: {
        description: route.means ?? STATUS_CODES[status] ?? '',
        ...(status !== 204 && { content }),
      },
      ...describeProblems(route, problems),
    },
  }
}

function describeInput(method: Method, schema: z.ZodType): RouteConfig['request'] {
  if (method !== 'GET')
    return { body: { content: { 'application/json': { schema } }, required: true } }
  return schema instanceof z.ZodObject ? { query: schema } : {}
}

function describeProblems<Input, Answer extends object, Caller>(
  { path, input, problems = [] }: Route<Input, Answer, Caller>,
  known: readonly number[],
): RouteConfig['responses'] {
  const ofId = path.includes('{id}') ? [404, 422] : []
  const all = new Set([...known, ...problems, ...ofId, ...(input ? [422] : [])])
  const content = { 'application/problem+json': { schema: problemDocument } }
  return Object.fromEntries(
    [...all].map((problem) => [problem, { content, description: PROBLEMS[problem] ?? 'Refused' }]),
  )
}

const METHODS = { GET: 'get', POST: 'post', DELETE: 'delete' } as const
