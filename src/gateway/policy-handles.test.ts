import { describe, expect, it } from 'vitest'
import { createPolicy, lineageOf, rootOf } from './agents/policy.ts'
import type { AgentRules } from './agents/rules.ts'
import type { Decision } from './agents/decision.ts'

function policyOf(agents: Record<string, AgentRules>, budgets?: Record<string, number>) {
  return createPolicy({ agents, denyOnMissingAgent: false }, { budgets })
}

function ruleOf(decision: Decision): string {
  return decision.effect === 'allow' ? `+ ${decision.grant.rule}` : `- ${decision.rule}`
}

describe('a sub-agent with a handle', () => {
  const policy = policyOf(
    {
      lead: { allow: { servers: ['pg', 'files'] }, deny: { tools: { pg: ['drop'] } } },
      intern: { allow: { servers: ['pg'] } },
    },
    { lead: 900, intern: 300 },
  )

  it('has the rights of its parent', () => {
    const helper = { id: 'helper', ancestors: ['lead'] }
    expect(ruleOf(policy.tool(helper, 'pg', 'query'))).toBe('+ agents.lead.allow.servers[0]')
    expect(policy.tool(helper, 'pg', 'drop')).toMatchObject({
      rule: 'agents.lead.deny.tools.pg[0]',
      message: "Agent 'helper' not authorized to call tool 'drop' on server 'pg'",
    })
  })

  it('has no more than its handle leaves', () => {
    const within = [{ servers: ['pg'], tools: { pg: ['query'] } }]
    const helper = { id: 'helper', ancestors: ['lead'], within }
    expect(policy.tool(helper, 'pg', 'query').effect).toBe('allow')
    expect(ruleOf(policy.server(helper, 'files'))).toBe(
      '- handle (no allow rule for server "files")',
    )
    expect(ruleOf(policy.tool(helper, 'pg', 'read'))).toBe(
      '- handle.allow.tools.pg (no pattern matches "read")',
    )
  })

  it('has nothing beside the tools of a handle that names tools alone', () => {
    const open = createPolicy(undefined)
    const helper = { id: 'helper', ancestors: ['lead'], within: [{ tools: { pg: ['query'] } }] }
    expect(open.tool(helper, 'pg', 'query').effect).toBe('allow')
    expect(open.tool(helper, 'pg', 'read').effect).toBe('deny')
    expect(open.tool(helper, 'files', 'query').effect).toBe('deny')
    expect(open.server(helper, 'files').effect).toBe('deny')
    const anywhere = { ...helper, within: [{ tools: { '*': ['query'] } }] }
    expect(open.tool(anywhere, 'files', 'query').effect).toBe('allow')
    expect(open.tool(anywhere, 'files', 'read').effect).toBe('deny')
  })

  it('gains nothing from a handle that names more than its parent has', () => {
    const helper = { id: 'helper', ancestors: ['lead'], within: [{ servers: ['vault'] }] }
    expect(policy.server(helper, 'vault').effect).toBe('deny')
  })

  const tokensOf = (...line: string[]) => {
    const [id = '', ...ancestors] = line
    const decision = policy.server({ id, ancestors }, 'pg')
    return decision.effect === 'allow' ? decision.grant.maxTokens : 0
  }

  it('has an allowance no larger than that of any agent it lives on', () => {
    expect(tokensOf('helper', 'lead')).toBe(900)
    expect(tokensOf('helper', 'lead', 'intern')).toBe(300)
    expect(tokensOf('helper', 'intern', 'lead')).toBe(300)
    expect(tokensOf('lead', 'intern')).toBe(300)
    const limitless = { id: 'helper', ancestors: ['lead', 'boss'] }
    expect(
      policyOf(
        { lead: { allow: { servers: ['*'] } }, boss: { allow: { servers: ['*'] } } },
        { boss: 50 },
      ).server(limitless, 'pg'),
    ).toMatchObject({ grant: { maxTokens: 50 } })
  })

  it('is narrowed by its handle whoever minted it', () => {
    const orphan = { id: 'lead', within: [{ servers: ['pg'] }] }
    expect(policy.server(orphan, 'pg').effect).toBe('allow')
    expect(policy.server(orphan, 'files').effect).toBe('deny')
    expect(policy.server({ id: 'lead' }, 'files').effect).toBe('allow')
    expect(policy.server({ id: 'lead', ancestors: [] }, 'files').effect).toBe('allow')
    expect(policy.server({ id: 'nobody', ancestors: [] }, 'files').effect).toBe('deny')
  })

  it('is left all tools of the servers that its handle names, and all servers where it names none', () => {
    const all = { id: 'helper', ancestors: ['lead'], within: [{}] }
    expect(policy.tool(all, 'files', 'read').effect).toBe('allow')
    const one = { ...all, within: [{ servers: ['files'] }] }
    expect(policy.tool(one, 'files', 'read').effect).toBe('allow')
    expect(policy.tool(one, 'pg', 'query').effect).toBe('deny')
  })

  it('has a name of its own, whatever the names in its line', () => {
    const lines = [
      { id: 'a', ancestors: ['bc'] },
      { id: 'ab', ancestors: ['c'] },
      { id: 'a', ancestors: ['b', 'c'] },
      { id: 'abc' },
    ]
    expect(new Set(lines.map(lineageOf)).size).toBe(lines.length)
    expect(lines.map(rootOf)).toEqual(['bc', 'c', 'c', 'abc'])
  })

  it('is bound by its own rules too, and by the smallest allowance', () => {
    const intern = { id: 'intern', ancestors: ['lead'] }
    expect(policy.server(intern, 'files').effect).toBe('deny')
    expect(policy.server(intern, 'pg')).toMatchObject({ grant: { maxTokens: 300 } })
  })

  it('loses everything when a rule file no longer names its parent', () => {
    expect(policy.server({ id: 'helper', ancestors: ['gone'] }, 'pg').effect).toBe('deny')
  })

  it('is narrowed even without a rules file', () => {
    const open = createPolicy(undefined)
    const helper = { id: 'helper', ancestors: ['lead'], within: [{ servers: ['pg'] }] }
    expect(open.server(helper, 'pg').effect).toBe('allow')
    expect(open.server(helper, 'files').effect).toBe('deny')
  })
})
