import { describe, expect, it } from 'vitest'
import { aCall, aListing, anUpstream } from '../../../test/support/a-call.ts'
import type { Address, Routed } from '../call.ts'
import { createCatalog } from '../catalog.ts'
import { createPolicy } from '../agents/policy.ts'
import type { Upstream } from '../upstream.ts'
import { createMissing } from './missing.ts'
import { ToolHistory } from './tool-history.ts'

type Tools = Readonly<Record<string, string>>

/** A server whose tools have these descriptions. */
function server(name: string, tools: Tools): Upstream {
  return anUpstream({
    name,
    listing: {
      ...aListing(name),
      serverInfo: { name },
      tools: Object.entries(tools).map(([tool, description]) => ({
        server: name,
        name: tool,
        definition: { name: tool, description },
        readOnly: false,
      })),
    },
  })
}

const policy = createPolicy({
  agents: {
    ada: { allow: { servers: ['*'] }, deny: { servers: ['vault'] } },
    bob: { allow: { servers: ['*'] }, deny: { tools: { pg: ['run_query'] } } },
  },
  denyOnMissingAgent: true,
})

/** What is said once the servers are `now`, after they were `before`. */
function after(before: readonly Upstream[], now: readonly Upstream[]) {
  const history = new ToolHistory()
  createCatalog(before, { history })
  return createMissing(policy, createCatalog(now, { history }))
}

function aRouted(
  address: Address,
  on?: string,
  toolName?: string,
  agent: 'ada' | 'bob' = 'ada',
): Routed {
  const { grant: _, ...call } = aCall({ agent: { id: agent, proof: 'key' } })
  return { ...call, address, server: on, toolName, upstream: undefined, tool: undefined }
}

const exposed = (name: string) => ({ kind: 'exposed', name }) as const
const direct = (on: string, tool: string) => ({ kind: 'tool', server: on, tool }) as const

describe('a tool that is gone', () => {
  const before = [server('pg', { query: 'Runs a query', other: 'Else' }), server('b', { x: 'X' })]
  const now = [server('pg', { run_query: 'Runs a query', other: 'Else' }), server('b', { x: 'X' })]

  it('is said to be, since when, and what took its place, as the caller would call that', () => {
    const missing = after(before, now)
    const gone = missing.tool(aRouted(direct('pg', 'query'), 'pg', 'query'))
    expect(gone.details.reason).toBe('tool_vanished')
    expect(gone.toObject()).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: expect.stringMatching(
        /^Tool 'query' is gone: server 'pg' does not list it any more since \d{4}-.+Z$/,
      ),
      hint: "Call 'run_query' instead: it is new on this server, with the same description and schema.",
      replaced_by: 'run_query',
      vanished_at: expect.stringMatching(/^\d{4}-.+Z$/),
    })
    const named = missing.tool(aRouted(exposed('pg__query'), 'pg', 'query'))
    expect(named.toObject()).toMatchObject({ replaced_by: 'pg__run_query' })
  })

  it('has no successor for an agent that may not use it', () => {
    const gone = after(before, now).tool(aRouted(direct('pg', 'query'), 'pg', 'query', 'bob'))
    expect(gone.toObject()).toMatchObject({
      message: expect.stringContaining("Tool 'query' is gone"),
      hint: "Call get_server_tools for 'pg' to see what there is.",
    })
    expect(gone.toObject()).not.toHaveProperty('replaced_by')
    expect(JSON.stringify(gone.toObject())).not.toContain('run_query')
  })

  it('with nothing in its place has a name near it, where there is one', () => {
    const near = { querys: 'B', z: 'Z' }
    const missing = after([server('pg', { query: 'A', ...near })], [server('pg', near)])
    const gone = missing.tool(aRouted(direct('pg', 'query'), 'pg', 'query'))
    expect(gone.toObject()).toMatchObject({ hint: "Did you mean 'querys'?" })
  })

  it('went with its server, where that was removed', () => {
    const missing = after(before, [server('b', { x: 'X' })])
    const named = missing.server(aRouted(exposed('pg__query'), 'pg', 'query'), 'pg')
    expect(named.toObject()).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: expect.stringMatching(
        /^Tool 'query' is gone: server 'pg' is not configured any more since \d{4}-/,
      ),
      hint: 'Call tools/list to see what there is.',
    })
    const asked = missing.server(aRouted(direct('pg', 'query'), 'pg', 'query'), 'pg')
    expect(asked.toObject()).toMatchObject({
      code: 'SERVER_NOT_FOUND',
      message: expect.stringMatching(
        /^Server 'pg' not found in configured servers since \d{4}-.+Z$/,
      ),
    })
  })

  it('is the same as one that never was, where nobody has seen it', () => {
    const never = after(before, now).tool(aRouted(direct('pg', 'nope'), 'pg', 'nope'))
    expect(never.toObject()).toMatchObject({
      message: "Unknown tool: 'nope' on server 'pg'",
    })
    const unknown = after(before, now).server(aRouted(direct('pq', 'x'), 'pq', 'x'), 'pq')
    expect(unknown.message).toBe("Server 'pq' not found in configured servers")
    const other = after(before, now).server(aRouted(exposed('pq__x'), 'pq', 'x'), 'pq')
    expect(other.toObject()).toMatchObject({ code: 'SERVER_NOT_FOUND' })
  })
})

describe('a name that several servers have', () => {
  const servers = ['a', 'b', 'vault'].map((name) =>
    server(name, { search: name, [`${name}_only`]: name }),
  )

  it('is answered with those that the agent may use', () => {
    const missing = after([], servers)
    const error = missing.unknownTool(aRouted(exposed('search'), undefined, 'search'))
    expect(error.toObject()).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: "Several servers have a tool 'search'",
      hint: "Name one of them: 'a__search', 'b__search'.",
    })
  })

  it('is unknown where only one of them is there for the agent, or a server was named', () => {
    const missing = after(
      [],
      [servers[0], servers[2]].flatMap((one) => one ?? []),
    )
    const one = missing.unknownTool(aRouted(exposed('search'), undefined, 'search'))
    expect(one.toObject()).toMatchObject({ message: "Unknown tool: 'search'" })
    const named = after([], servers).unknownTool(aRouted(direct('a', 'search'), 'a', 'search'))
    expect(named.toObject()).toMatchObject({ message: "Unknown tool: 'search' on server 'a'" })
  })

  it('is answered with names as this kind of address has them', () => {
    const missing = after([], servers)
    const hintOf = (call: Routed) => missing.unknownTool(call).toObject()
    expect(hintOf(aRouted(exposed('a__searc'), 'a', 'searc'))).toMatchObject({
      hint: "Did you mean 'a__search' or 'b__search'?",
    })
    expect(hintOf(aRouted(direct('a', 'searc'), 'a', 'searc'))).toMatchObject({
      hint: "Did you mean 'search'?",
    })
    expect(hintOf(aRouted(direct('nowhere', 'searc'), 'nowhere', 'searc'))).toMatchObject({
      hint: "Call get_server_tools for 'nowhere' to see what there is.",
    })
  })
})
