import { expect, it } from 'vitest'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { auditOf } from '../support/audit-of.ts'
import { execute, textOf } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

const RULES = {
  agents: {
    default: { allow: { servers: ['notes', 'files'] }, deny: { tools: { files: ['big'] } } },
    // Less than the default for one client, and more for an agent with a key.
    codex: { allow: { servers: ['notes'] } },
    admin: { allow: { servers: ['*'] } },
  },
  defaults: { deny_on_missing_agent: false },
}

async function open(): Promise<Opened> {
  return openGateway({
    servers: { notes: stdioUpstream(), files: stdioUpstream(), secret: stdioUpstream() },
    rules: RULES,
  })
}

async function connect(gateway: Opened, name: string, era: 'legacy' | 'modern') {
  return gateway.connect({ era, clientInfo: { name, version: '1' } })
}

it.each(['legacy', 'modern'] as const)(
  'tells %s clients apart in rules and audit without any key',
  async (era) => {
    const gateway = await open()
    const works = async (client: string, server: string, tool = 'echo', args: JsonObject = {}) => {
      const session = await connect(gateway, client, era)
      const result = await execute(session, server, tool, { text: 'x', ...args })
      return result['isError'] !== true ? true : textOf(result)
    }
    expect(await works('claude-code', 'files')).toBe(true)
    expect(await works('claude-code', 'files', 'big')).toContain("Agent 'claude-code' not auth")
    expect(await works('codex-mcp-client', 'notes')).toBe(true)
    expect(await works('codex-mcp-client', 'files')).toContain("Agent 'codex' cannot access")
    // A client that calls itself after an agent with more rights gets none of them.
    expect(await works('admin', 'files')).toBe(true)
    expect(await works('admin', 'secret')).toContain("Agent 'admin' cannot access")

    await gateway.close()
    const agents = auditOf(gateway)
      .filter(({ operation }) => operation === 'execute_tool')
      .map(({ agent_id, metadata }) => {
        const { client, on_behalf_of } = isObject(metadata) ? metadata : {}
        return { agent_id, client, on_behalf_of }
      })
    expect(agents).toContainEqual({
      agent_id: 'codex',
      client: 'codex-mcp-client',
      on_behalf_of: ['default'],
    })
    expect(new Set(agents.map(({ agent_id }) => agent_id))).toEqual(
      new Set(['claude-code', 'codex', 'admin']),
    )
  },
)

it('shows each client as an agent on the dashboard, with the rights that it has', async () => {
  const gateway = await open()
  for (const name of ['claude-code', 'cursor-vscode'])
    await execute(await connect(gateway, name, 'legacy'), 'notes', 'echo', { text: 'x' })
  const answer: unknown = await (await fetch(`${gateway.url}/api/dashboard/agents`)).json()
  const rows = isObject(answer) && Array.isArray(answer['agents']) ? answer['agents'] : []
  const byId = new Map(rows.filter(isObject).map((row) => [row['id'], row]))
  const rightsOf = (agent: string) => {
    const cells = byId.get(agent)?.['cells']
    return Array.isArray(cells) ? cells.filter(isObject).map(({ effect }) => effect) : undefined
  }
  expect(byId.get('claude-code')).toMatchObject({ source: 'seen', calls: { calls: 1 } })
  expect(rightsOf('cursor')).toEqual(['allow', 'allow', 'deny'])
  expect(rightsOf('default')).toEqual(['allow', 'allow', 'deny'])
  expect(rightsOf('admin')).toEqual(['allow', 'allow', 'allow'])
})
