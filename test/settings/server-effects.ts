import type { ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { nameFor } from '../../src/app/upstreams/people.ts'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { forUser } from '../../src/config/servers/to-server.ts'
import { aClient } from '../support/a-call.ts'
import { needBubblewrap } from '../support/bubblewrap.ts'
import { type SeenRequest, serveHttp } from '../support/http-server.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'
import { type Toy, type Who, openToy } from './open-toy.ts'

/** What one key of an entry in `.mcp.json` changes. */
export interface ServerEffect {
  /** The entry; a function where something has to be started for it. */
  readonly entry: JsonObject | (() => Promise<JsonObject>)
  /** The key with its value, on top of the entry. */
  readonly key: JsonObject
  readonly observe: (toy: Toy) => Promise<unknown>
  readonly without: unknown
  readonly set: unknown
}

const CHILD = { ...stdioUpstream() }

const about = (read: (facts: JsonObject) => unknown, who?: Who) => async (toy: Toy) => {
  const facts: unknown = JSON.parse(await toy.call('toy__whoami', {}, who))
  return isObject(facts) ? read(facts) : undefined
}

const offers = (tool: string) => async (toy: Toy) =>
  (await toy.list({ surface: 'direct' })).includes(tool)

const kindOf = async ({ app }: Toy) => app.config.servers.get('toy')?.kind

const isThere = async ({ app }: Toy) => app.world.catalog.server('toy') !== undefined

/** Two clients, one after the other; how many connections there are then, with the one that lists tools. */
const connections = async ({ call, app }: Toy) => {
  for (const session of ['one', 'two'])
    await call('toy__echo', { text: session }, { client: { session, alone: false } })
  return app.world.catalog.server('toy')?.diagnostics.connections
}

async function modernUpstream(): Promise<JsonObject> {
  const started = await startHttpUpstream()
  onTestFinished(async () => started.close())
  return { url: started.url }
}

/** Speaks the event streams of 2024, and answers everything else in a way that does not show it. */
async function oldUpstream(): Promise<JsonObject> {
  const old = await startHttpUpstream('--legacy-sse')
  onTestFinished(async () => old.close())
  const shy = await serveHttp((asked, response) => {
    if (asked.method === 'POST' && asked.url.pathname === '/sse')
      return void response.writeHead(500).end()
    return void pass(asked, old.url, response)
  })
  onTestFinished(async () => shy[Symbol.asyncDispose]())
  return { url: `${shy.url}/sse` }
}

async function pass(
  { method, url: { pathname, search }, body }: SeenRequest,
  target: string,
  response: ServerResponse,
): Promise<void> {
  try {
    const init = method === 'POST' ? { method, body } : {}
    const answer = await fetch(new URL(pathname + search, target), init)
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    if (answer.body) for await (const chunk of answer.body) response.write(chunk)
    response.end()
  } catch {
    response.destroy()
  }
}

export const SERVER_KEYS: Readonly<Record<string, ServerEffect>> = {
  command: { entry: {}, key: CHILD, observe: kindOf, without: 'broken', set: 'stdio' },
  url: {
    entry: {},
    key: { url: 'http://127.0.0.1:9/mcp' },
    observe: kindOf,
    without: 'broken',
    set: 'http',
  },
  builtin: {
    entry: {},
    key: { builtin: 'code' },
    observe: async ({ call }) => call('toy__count'),
    without: 'SERVER_UNAVAILABLE',
    set: '1',
  },
  openapi: {
    entry: {},
    key: { openapi: 'https://api.example/openapi.json' },
    observe: kindOf,
    without: 'broken',
    set: 'openapi',
  },
  args: {
    entry: { command: 'node', args: CHILD.args },
    key: { args: [...CHILD.args, '--name', 'other'] },
    observe: about(({ argv }) => argv),
    without: [],
    set: ['--name', 'other'],
  },
  env: {
    entry: CHILD,
    key: { env: { COLOUR: 'blue' } },
    observe: about(({ env }) => isObject(env) && env['COLOUR']),
    without: undefined,
    set: 'blue',
  },
  sandbox: {
    entry: async () => {
      await needBubblewrap()
      return CHILD
    },
    key: { sandbox: true },
    // A sandbox has processes of its own, counted from one.
    observe: about(({ pid }) => Number(pid) < 20),
    without: false,
    set: true,
  },
  tools: {
    entry: CHILD,
    key: { tools: { slow: { hidden: true } } },
    observe: offers('slow'),
    without: true,
    set: false,
  },
  instructions: {
    entry: CHILD,
    key: { instructions: 'Paint first.' },
    observe: async ({ app }) => {
      const who = {
        caller: { transport: 'stdio', credential: undefined, claimedAgent: undefined },
        client: aClient(),
      } as const
      return (await app.backend.instructions(who, 'direct'))?.includes('Paint first.') ?? false
    },
    without: false,
    set: true,
  },
  envFile: {
    entry: CHILD,
    key: { envFile: 'colours.env' },
    observe: about(({ env }) => isObject(env) && env['COLOUR']),
    without: undefined,
    set: 'green',
  },
  cwd: {
    entry: CHILD,
    key: { cwd: 'inner' },
    observe: about(({ cwd }) => String(cwd).endsWith('/inner')),
    without: false,
    set: true,
  },
  scope: {
    entry: CHILD,
    key: { scope: 'folder' },
    // What the file of the user would make of the entry, in a home with the folder `inner`.
    observe: async ({ app, folder }) => {
      const server = app.config.servers.get('toy')
      const place = { cwd: folder.path, env: { HOME: folder.file('inner') } }
      const ran = server && forUser(server, place)
      return ran?.kind === 'stdio' && ran.cwd === folder.file('inner') ? 'at home' : 'in the folder'
    },
    without: 'at home',
    set: 'in the folder',
  },
  headers: {
    entry: modernUpstream,
    key: { headers: { 'X-Team': 'docs' } },
    observe: about(({ headers }) => isObject(headers) && headers['x-team']),
    without: undefined,
    set: 'docs',
  },
  oauth: {
    entry: { url: 'http://127.0.0.1:9/mcp' },
    key: { oauth: { tokens: 'shared' } },
    observe: async ({ app }) => {
      const config = app.config.servers.get('toy')
      return config?.kind === 'http' && nameFor(config, 'ada') === 'ada' ? 'ada' : 'everybody'
    },
    without: 'ada',
    set: 'everybody',
  },
  transport: {
    entry: oldUpstream,
    key: { transport: 'sse' },
    observe: async ({ call }) => (await call('toy__echo', { text: 'hello' })) === 'hello',
    without: false,
    set: true,
  },
  description: {
    entry: CHILD,
    key: { description: 'Paints walls' },
    observe: async ({ call }) =>
      (await call('list_servers', {}, { surface: 'discover' })).includes('Paints walls'),
    without: false,
    set: true,
  },
  enabled: { entry: CHILD, key: { enabled: false }, observe: isThere, without: true, set: false },
  disabled: { entry: CHILD, key: { disabled: true }, observe: isThere, without: true, set: false },
  enabled_tools: {
    entry: CHILD,
    key: { enabled_tools: ['echo'] },
    observe: offers('slow'),
    without: true,
    set: false,
  },
  disabled_tools: {
    entry: CHILD,
    key: { disabled_tools: ['sl*'] },
    observe: offers('slow'),
    without: true,
    set: false,
  },
  protocol: {
    entry: modernUpstream,
    key: { protocol: '2025-11-25' },
    // Else the era of the connection is that of the client.
    observe: about(({ client }) => isObject(client) && client['protocolVersion'], {
      client: { era: 'modern' },
    }),
    without: '2026-07-28',
    set: '2025-11-25',
  },
  session: {
    entry: CHILD,
    key: { session: 'per-session' },
    observe: connections,
    without: 1,
    set: 3,
  },
  timeout_ms: {
    entry: CHILD,
    key: { timeout_ms: 50 },
    observe: async ({ call }) => call('toy__slow', { ms: 500 }),
    without: 'slept 500 ms',
    set: 'TIMEOUT',
  },
  max_concurrency: {
    entry: { builtin: 'traces' },
    key: { max_concurrency: 1 },
    observe: async ({ call }) => (await Promise.all([call('toy__meet'), call('toy__meet')]))[0],
    without: 'together',
    set: 'alone',
  },
  max_connections: {
    entry: { ...CHILD, session: 'per-session' },
    key: { max_connections: 1 },
    observe: connections,
    without: 3,
    set: 2,
  },
}

/** What is observed of a gateway with that one server. */
export async function observeServer(entry: JsonObject, observe: ServerEffect['observe']) {
  const files = { 'colours.env': 'COLOUR=green\n', 'inner/keep': '' }
  return observe(await openToy({}, { servers: { toy: entry }, files }))
}
