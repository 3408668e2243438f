import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { aCall, aClient, aListing, anUpstream } from '../../../test/support/a-call.ts'
import type { Address, Authorized, Routed } from '../call.ts'
import { createCatalog } from '../catalog.ts'
import { GatewayError } from '../errors.ts'
import { createPolicy } from '../agents/policy.ts'
import type { Listing, Upstream } from '../upstream.ts'
import { authorize } from './authorize.ts'

async function hangs(): Promise<never> {
  return new Promise(() => {})
}

const asked = vi.fn(hangs)

/** A server that tells what it offers only when it is asked, after a while. */
function aStranger(name: string, tool: string): Upstream {
  let listing = aListing(name)
  return {
    ...anUpstream({ name }),
    get listing() {
      return listing
    },
    async list() {
      await setTimeout(50)
      listing = aListing(name, [tool])
      return listing
    },
  }
}

/** With a tool that only its own pages may call. */
function withPageTool(listing: Listing): Listing {
  const definition = { name: 'page_only', _meta: { ui: { visibility: ['app'] } } }
  const tool = { server: 'pg', name: 'page_only', definition, readOnly: true }
  return { ...listing, tools: [...listing.tools, tool] }
}

const servers = [
  anUpstream({
    name: 'pg',
    listing: withPageTool(aListing('pg', ['query', 'drop', 'create_row'])),
  }),
  anUpstream({ name: 'vault', listing: aListing('vault', ['read']), list: hangs }),
  anUpstream({ name: 'empty' }),
  anUpstream({ name: 'hung', list: hangs }),
  aStranger('stranger', 'x'),
  aStranger('newcomer', 'quick'),
  aStranger('second', 'quick'),
  aStranger('third', 'x'),
  anUpstream({ name: 'bare', list: async () => aListing('bare') }),
  anUpstream({ name: 'quiet', listing: aListing('quiet', ['x']), list: asked }),
]
const catalog = createCatalog(servers)
const policy = createPolicy({
  agents: {
    ada: { allow: { servers: ['*'] }, deny: { servers: ['vault'], tools: { pg: ['drop'] } } },
  },
  denyOnMissingAgent: true,
})

const limitOf = ({ tool }: Authorized) => (tool?.name === 'quick' ? 20 : 5_000)

async function ask(
  server: string | undefined,
  toolName: string | undefined,
  more: Partial<Routed> = {},
) {
  let passed: Authorized | undefined
  const handler = authorize(policy, catalog, { ms: limitOf })(async (call) => {
    passed = call
    return {}
  })
  const upstream = server === undefined ? undefined : catalog.server(server)
  const tool = server && toolName ? catalog.tool(server, toolName) : undefined
  const { upstream: _, tool: __, ...call } = aCall()
  const address: Address =
    server === undefined
      ? { kind: 'exposed', name: toolName ?? '' }
      : toolName === undefined
        ? { kind: 'server', server }
        : { kind: 'tool', server, tool: toolName }
  const routed: Routed = { ...call, address, server, toolName, upstream, tool, ...more }
  let error: unknown
  try {
    await handler(routed)
  } catch (thrown) {
    error = thrown
  }
  const { event } = routed
  return { passed, event, error: error instanceof GatewayError ? error.toObject() : error }
}

const address = (name: string) => ({ address: { kind: 'exposed', name } as const })

describe('authorize', () => {
  it('lets a call through with the rule that allows it', async () => {
    const { passed } = await ask('pg', 'query')
    expect(passed).toMatchObject({
      upstream: { name: 'pg' },
      tool: { name: 'query' },
      grant: { rule: 'agents.ada.allow.servers[0]' },
      event: { rule: 'agents.ada.allow.servers[0]' },
    })
    expect((await ask('pg', undefined)).passed?.tool).toBeUndefined()
  })

  it('knows the tools that the caller has, and not those of other people', async () => {
    const own = anUpstream({ name: 'mail', listing: aListing('mail', ['inbox', 'diary_of_ada']) })
    const listing = aListing('mail', ['inbox', 'diary_of_bob'])
    const { tools } = listing
    const forBob = { ...own, listing, live: async () => listing }
    const all = { ...own, as: (person: string) => (person === 'agent:ada' ? forBob : own) }
    const more = { upstream: all, tool: own.listing.tools[0] }
    const { passed } = await ask('mail', 'inbox', more)
    expect(passed?.tool).toBe(tools[0])
    expect((await ask('mail', 'diary_of_bob', { upstream: all })).passed?.tool).toBe(tools[1])
    const { error } = await ask('mail', 'diary_of_ada', { ...more, tool: own.listing.tools[1] })
    expect(error).toMatchObject({ code: 'TOOL_NOT_FOUND' })
  })

  it('refuses with the rule that denies, whether or not the tool exists', async () => {
    expect((await ask('pg', 'drop')).error).toMatchObject({
      code: 'DENIED_BY_POLICY',
      rule: 'agents.ada.deny.tools.pg[0]',
    })
    for (const tool of ['read', 'no_such_tool', undefined])
      expect((await ask('vault', tool)).error).toMatchObject({
        code: 'DENIED_BY_POLICY',
        rule: 'agents.ada.deny.servers[0]',
      })
  })

  it('does not admit that a denied server exists when a name only points to it', async () => {
    const denied = await ask('vault', 'no_such_tool', address('vault__no_such_tool'))
    const madeUp = await ask(undefined, 'vaulx__no_such_tool', address('vaulx__no_such_tool'))
    expect(denied.error).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: "Unknown tool: 'vault__no_such_tool'",
    })
    expect(madeUp.error).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: "Unknown tool: 'vaulx__no_such_tool'",
    })
    const listed = await ask('vault', 'read', address('vault__read'))
    expect(listed.error).toMatchObject({
      code: 'DENIED_BY_POLICY',
      hint: 'Only the lists, such as tools/list, show what this agent may use.',
    })
    expect((await ask('vault', 'read')).error).toMatchObject({
      hint: 'Only list_servers and find_tools show what this agent may use.',
    })
  })

  it('suggests only names that the agent may use', async () => {
    expect((await ask('pg', 'quer')).error).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      hint: "Did you mean 'query'?",
    })
    expect((await ask('pg', 'dropp')).error).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: "Unknown tool: 'dropp' on server 'pg'",
      hint: "Call get_server_tools for 'pg' to see what there is.",
    })
    expect((await ask(undefined, 'pg__quer')).error).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: "Unknown tool: 'pg__quer'",
      hint: "Did you mean 'pg__query'?",
    })
    expect((await ask(undefined, 'vault__rea')).error).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      hint: 'Call tools/list to see what there is.',
    })
    expect((await ask('pgg', 'query')).error).toMatchObject({
      code: 'SERVER_NOT_FOUND',
      hint: "Did you mean 'pg'?",
    })
    expect((await ask('vaultt', 'read')).error).toMatchObject({
      code: 'SERVER_NOT_FOUND',
      hint: 'Call list_servers to see what there is.',
    })
  })

  it('says that a server is down rather than that it lacks the tool', async () => {
    expect((await ask('empty', 'x')).error).toEqual(new Error('not part of this test'))
    const { error, event } = await ask('pg', 'x')
    expect(error).toMatchObject({ code: 'TOOL_NOT_FOUND' })
    expect(event.rule, 'no rule allows what is not there').toBeUndefined()
  })

  it('asks a server for a tool it has not told of yet, on the time of the call', async () => {
    const { passed } = await ask('stranger', 'x', { options: { timeoutMs: 10_000 } })
    expect(passed?.tool).toMatchObject({ name: 'x' })
    expect(passed?.options.timeoutMs).toBeLessThan(9_960)
    expect(passed?.options.timeoutMs).toBeGreaterThan(1_000)
  })

  it('asks no server for a tool that it has told of, nor for anything else', async () => {
    expect((await ask('quiet', 'x')).passed?.tool).toMatchObject({ name: 'x' })
    expect((await ask('quiet', undefined)).passed?.upstream.name).toBe('quiet')
    expect(asked).not.toHaveBeenCalled()
  })

  it('says what is unknown by the name that was used', async () => {
    expect((await ask('bare', 'x')).error).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: "Unknown tool: 'x' on server 'bare'",
    })
    expect((await ask('bare', 'x', address('bare__x'))).error).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: "Unknown tool: 'bare__x'",
    })
  })

  it('gives the tool of such a server its own time, once it is known', async () => {
    const { passed } = await ask('newcomer', 'quick')
    expect(passed?.options.timeoutMs).toBe(20)
    const patient = await ask('second', 'quick', { options: { timeoutMs: 4_000 } })
    expect(patient.passed?.options.timeoutMs).toBeGreaterThan(1_000)
    const usual = await ask('third', 'x')
    expect(usual.passed?.options.timeoutMs).toBeGreaterThan(1_000)
    expect(usual.passed?.options.timeoutMs).toBeLessThan(4_960)
  })

  it('waits for a server that hangs as long as the call may take, or until its client leaves', async () => {
    expect((await ask('hung', 'x', { options: { timeoutMs: 20 } })).error).toMatchObject({
      code: 'TIMEOUT',
      timeout_ms: 20,
    })
    const leaving = new Error('left')
    expect((await ask('hung', 'x', { signal: AbortSignal.abort(leaving) })).error).toBe(leaving)
  })

  it('refuses what the person has not agreed to, and says what the client must ask for', async () => {
    const reader = { id: 'ada', proof: 'sign-in', effects: ['read'] } as const
    const refused = await ask('pg', 'create_row', { agent: reader })
    expect(refused.error).toMatchObject({ code: 'INSUFFICIENT_SCOPE', effects: ['read', 'write'] })
    expect(refused.passed).toBeUndefined()
    expect((await ask('pg', undefined, { agent: reader })).error).toBeUndefined()
    const writer = { ...reader, effects: ['read', 'write'] } as const
    expect((await ask('pg', 'create_row', { agent: writer })).error).toBeUndefined()
    expect((await ask('pg', 'create_row')).error, 'no token, no scope').toBeUndefined()
  })

  it('lets a host call a tool for its pages, and models not', async () => {
    const capabilities = { extensions: { 'io.modelcontextprotocol/ui': {} } }
    const host = { client: aClient({ capabilities }), operation: 'tools/call' }
    expect((await ask('pg', 'page_only', host)).error).toBeUndefined()
    expect(
      (await ask('pg', 'page_only', { ...host, operation: 'tasks/get' })).error,
    ).toBeUndefined()
    const refused = [
      { ...host, operation: 'execute_tool' },
      { ...host, client: aClient() },
    ]
    for (const more of refused)
      expect((await ask('pg', 'page_only', more)).error).toMatchObject({
        code: 'TOOL_NOT_FOUND',
        message: expect.stringContaining('for the pages of that server'),
      })
    expect((await ask('pg', 'query', { ...host, operation: 'execute_tool' })).error).toBeUndefined()
  })
})
