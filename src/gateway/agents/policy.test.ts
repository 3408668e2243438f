import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPolicy } from './policy.ts'
import type { AgentRules } from './rules.ts'
import type { Decision } from './decision.ts'
import { MUTATING } from '../../../test/support/mutating.ts'

function policyOf(agents: Record<string, AgentRules>, budgets?: Record<string, number>) {
  return createPolicy({ agents, denyOnMissingAgent: false }, { budgets })
}

function ruleOf(decision: Decision): string {
  return decision.effect === 'allow' ? `+ ${decision.grant.rule}` : `- ${decision.rule}`
}

describe('server access', () => {
  const ada = { id: 'ada' }

  it('is denied to an agent that the rules do not name, whatever the defaults say', () => {
    const policy = policyOf({ ada: { allow: { servers: ['*'] } } })
    expect(policy.server({ id: 'mallory' }, 'pg')).toEqual({
      effect: 'deny',
      rule: 'agents (no rules for agent "mallory")',
      reason: 'unknown_agent',
      message: "Agent 'mallory' cannot access server 'pg'",
    })
    expect(policy.tool({ id: 'mallory' }, 'pg', 'query').effect).toBe('deny')
    expect(policy.knows('mallory')).toBe(false)
  })

  it('is not fooled by agents named like members of every object', () => {
    const policy = policyOf({ ada: { allow: { servers: ['*'] } } })
    for (const id of ['constructor', '__proto__', 'toString']) {
      expect(policy.server({ id }, 'pg').effect).toBe('deny')
    }
  })

  it('is given to everyone without a rules file', () => {
    const policy = createPolicy(undefined, { budgets: { ada: 500 } })
    expect(ruleOf(policy.tool({ id: 'anyone' }, 'pg', 'query'))).toBe('+ no rules file')
    expect(policy.server(ada, 'pg')).toEqual({
      effect: 'allow',
      grant: { rule: 'no rules file', maxTokens: 500 },
    })
    expect(policy.knows('anyone')).toBe(true)
  })

  it('lets a denied name beat an allowed star, so that a denied server is never listed', () => {
    const policy = policyOf({ ada: { allow: { servers: ['*'] }, deny: { servers: ['x', 'pg'] } } })
    expect(ruleOf(policy.server(ada, 'pg'))).toBe('- agents.ada.deny.servers[1]')
    expect(ruleOf(policy.server(ada, 'files'))).toBe('+ agents.ada.allow.servers[0]')
  })

  it('lets a denied star beat everything', () => {
    const policy = policyOf({ ada: { allow: { servers: ['pg'] }, deny: { servers: ['*'] } } })
    expect(ruleOf(policy.server(ada, 'pg'))).toBe('- agents.ada.deny.servers[0]')
  })

  it('names the missing rule when nothing allows the server', () => {
    const policy = policyOf({ ada: { allow: { servers: ['files'] } }, bob: {} })
    expect(ruleOf(policy.server(ada, 'pg'))).toBe('- agents.ada (no allow rule for server "pg")')
    expect(ruleOf(policy.server({ id: 'bob' }, 'pg'))).toBe(
      '- agents.bob (no allow rule for server "pg")',
    )
  })
})

describe('tool access', () => {
  const ada = { id: 'ada' }
  const on = (rules: AgentRules, tool: string, server = 'pg') =>
    ruleOf(policyOf({ ada: rules }).tool(ada, server, tool))
  const servers = ['pg', 'files']

  it('is granted implicitly when no list speaks about the server', () => {
    expect(on({ allow: { servers } }, 'query')).toBe('+ agents.ada.allow.servers[0]')
    expect(on({ allow: { servers, tools: { pg: ['query'] } } }, 'read', 'files')).toBe(
      '+ agents.ada.allow.servers[1]',
    )
  })

  it('is not granted at all where the list of the server is empty', () => {
    const none = { allow: { servers, tools: { pg: [] } } }
    expect(on(none, 'query')).toBe('- agents.ada.allow.tools.pg (no pattern matches "query")')
    expect(on(none, 'read', 'files')).toBe('+ agents.ada.allow.servers[1]')
    const forAll = { allow: { servers, tools: { '*': ['get_*'], pg: [] } } }
    expect(on(forAll, 'get_rows')).toBe(
      '- agents.ada.allow.tools.pg (no pattern matches "get_rows")',
    )
    expect(on(forAll, 'get_rows', 'files')).toBe('+ agents.ada.allow.tools.*[0]')
    const anywhere = { allow: { servers, tools: { '*': [], pg: ['query'] } } }
    expect(on(anywhere, 'query')).toBe('+ agents.ada.allow.tools.pg[0]')
    expect(on(anywhere, 'read', 'files')).toBe(
      '- agents.ada.allow.tools.* (no pattern matches "read")',
    )
  })

  it('is not changed by an empty list of denials', () => {
    const rules = { allow: { servers }, deny: { tools: { '*': ['drop'], pg: [] } } }
    expect(on(rules, 'query')).toBe('+ agents.ada.allow.servers[0]')
    expect(on(rules, 'drop')).toBe('- agents.ada.deny.tools.*[0]')
  })

  it('is left implicit for the other tools of a server that has only denials', () => {
    const rules = { allow: { servers }, deny: { tools: { pg: ['drop_*'] } } }
    expect(on(rules, 'query')).toBe('+ agents.ada.allow.servers[0]')
    expect(on(rules, 'drop_table')).toBe('- agents.ada.deny.tools.pg[0]')
  })

  it('gives the reason that decided when a wildcard denial meets an explicit permission', () => {
    const rules = {
      allow: { servers, tools: { pg: ['drop_table'] } },
      deny: { tools: { pg: ['query', 'drop_*'] } },
    }
    const decision = policyOf({ ada: rules }).tool(ada, 'pg', 'drop_table')
    expect(decision).toEqual({
      effect: 'deny',
      rule: 'agents.ada.deny.tools.pg[1]',
      reason: 'tool_not_allowed',
      message: "Agent 'ada' not authorized to call tool 'drop_table' on server 'pg'",
    })
  })

  it('prefers the explicit entry when it names the rule', () => {
    const tools = { pg: ['*', 'query'] }
    expect(on({ allow: { servers, tools } }, 'query')).toBe('+ agents.ada.allow.tools.pg[1]')
    expect(on({ allow: { servers }, deny: { tools } }, 'query')).toBe(
      '- agents.ada.deny.tools.pg[1]',
    )
  })

  it('is denied when a list speaks about the server and does not match', () => {
    expect(on({ allow: { servers, tools: { pg: ['get_*'] } } }, 'drop')).toBe(
      '- agents.ada.allow.tools.pg (no pattern matches "drop")',
    )
  })

  it('applies the list under "*" to every server, beside its own list', () => {
    const rules = {
      allow: { servers: ['*'], tools: { '*': ['read_*'], pg: ['query'] } },
      deny: { tools: { '*': ['*_secret'] } },
    }
    expect(on(rules, 'query')).toBe('+ agents.ada.allow.tools.pg[0]')
    expect(on(rules, 'read_rows')).toBe('+ agents.ada.allow.tools.*[0]')
    expect(on(rules, 'write', 'files')).toBe(
      '- agents.ada.allow.tools.* (no pattern matches "write")',
    )
    expect(on(rules, 'read_secret', 'files')).toBe('- agents.ada.deny.tools.*[0]')
  })

  it('reads ? and [] as patterns even without a star', () => {
    const rules = { allow: { servers }, deny: { tools: { pg: ['v?', 'drop[12]'] } } }
    expect(on(rules, 'v1')).toBe('- agents.ada.deny.tools.pg[0]')
    expect(on(rules, 'drop2')).toBe('- agents.ada.deny.tools.pg[1]')
  })

  it('falls with the server', () => {
    expect(on({ allow: { tools: { pg: ['query'] } } }, 'query')).toBe(
      '- agents.ada (no allow rule for server "pg")',
    )
  })

  it('carries the allowance of the agent', () => {
    const policy = policyOf({ ada: { allow: { servers } } }, { ada: 700 })
    expect(policy.tool(ada, 'pg', 'query')).toEqual({
      effect: 'allow',
      grant: { rule: 'agents.ada.allow.servers[0]', maxTokens: 700 },
    })
  })
})

describe('what an agent may not do whatever the rules allow', () => {
  const deny = { servers: ['vault'], tools: { pg: ['drop_*'] } }
  const denials = { agents: { ada: { deny } } }

  it.each([
    [
      'with rules',
      {
        agents: { ada: { allow: { servers: ['*'] } }, bob: { allow: { servers: ['*'] } } },
        denyOnMissingAgent: false,
      },
    ],
    ['without rules', undefined],
  ])('is denied to that agent alone, %s', (_, rules) => {
    const policy = createPolicy(rules, { denials })
    const effects = (id: string) => [
      policy.server({ id }, 'vault').effect,
      policy.tool({ id }, 'vault', 'read').effect,
      policy.tool({ id }, 'pg', 'drop_table').effect,
      policy.server({ id }, 'pg').effect,
      policy.tool({ id }, 'pg', 'query').effect,
    ]
    expect(effects('ada')).toEqual(['deny', 'deny', 'deny', 'allow', 'allow'])
    expect(effects('bob')).toEqual(['allow', 'allow', 'allow', 'allow', 'allow'])
  })

  it('is denied to everybody in a group, by the name of each', () => {
    const groups = { crew: { match: { agent: 'a*' }, allow: { servers: ['pg'] }, deny } }
    const policy = createPolicy(undefined, { denials: { agents: {}, groups } })
    expect(policy.tool({ id: 'amy' }, 'pg', 'drop_table')).toEqual({
      effect: 'deny',
      rule: 'groups.crew.deny.tools.pg[0]',
      reason: 'tool_not_allowed',
      message: "Agent 'amy' not authorized to call tool 'drop_table' on server 'pg'",
    })
    expect(policy.server({ id: 'ada' }, 'vault').effect).toBe('deny')
    expect(policy.server({ id: 'ada' }, 'files').effect).toBe('allow')
    expect(policy.server({ id: 'bob' }, 'vault').effect).toBe('allow')
  })

  it('opens nothing that the rules deny', () => {
    const policy = createPolicy(
      { agents: { ada: { allow: { servers: ['pg'] } } }, denyOnMissingAgent: false },
      { denials },
    )
    expect(policy.server({ id: 'ada' }, 'files').effect).toBe('deny')
    expect(policy.tool({ id: 'ada' }, 'files', 'read').effect).toBe('deny')
    expect(ruleOf(policy.tool({ id: 'ada' }, 'pg', 'query'))).toBe('+ agents.ada.allow.servers[0]')
  })
})

describe('whatever the rules', () => {
  const name = fc.constantFrom('a', 'b', 'ab', 'ba')
  const pattern = fc.constantFrom('*', 'a', 'b', 'a*', '*a', '?', '[ab]')
  const access = fc.record(
    {
      servers: fc.array(fc.constantFrom('*', 'a', 'b'), { maxLength: 3 }),
      tools: fc.dictionary(fc.constantFrom('*', 'a', 'b'), fc.array(pattern, { maxLength: 3 })),
    },
    { requiredKeys: [] },
  )
  const agentRules = fc.record({ allow: access, deny: access }, { requiredKeys: [] })

  it('a tool that may be called is on a server that is listed', () => {
    fc.assert(
      fc.property(agentRules, name, name, (rules, server, tool) => {
        const policy = policyOf({ ada: rules })
        if (policy.tool({ id: 'ada' }, server, tool).effect === 'deny') return
        expect(policy.server({ id: 'ada' }, server).effect).toBe('allow')
      }),
    )
  })

  it('the second answer is the first one', () => {
    fc.assert(
      fc.property(agentRules, name, name, (rules, server, tool) => {
        const policy = policyOf({ ada: rules })
        const first = policy.tool({ id: 'ada' }, server, tool)
        expect(policy.tool({ id: 'ada' }, server, tool)).toEqual(first)
        expect(policyOf({ ada: rules }).tool({ id: 'ada' }, server, tool)).toEqual(first)
      }),
    )
  })

  it('one more denial never opens anything', () => {
    fc.assert(
      fc.property(agentRules, name, name, pattern, (rules, server, tool, more) => {
        const deny = { ...rules.deny, tools: { ...rules.deny?.tools, [server]: [more] } }
        const before = policyOf({ ada: { ...rules, deny: { servers: rules.deny?.servers } } })
        const after = policyOf({ ada: { ...rules, deny } })
        if (before.tool({ id: 'ada' }, server, tool).effect === 'allow') return
        expect(after.tool({ id: 'ada' }, server, tool).effect).toBe('deny')
      }),
    )
  })

  it('a handle never reaches further than its parent', () => {
    fc.assert(
      fc.property(agentRules, access, name, name, (rules, within, server, tool) => {
        const policy = policyOf({ ada: rules })
        const helper = { id: 'helper', ancestors: ['ada'], within: [within] }
        if (policy.tool(helper, server, tool).effect === 'deny') return
        expect(policy.tool({ id: 'ada' }, server, tool).effect).toBe('allow')
      }),
    )
  })
})

it.skipIf(MUTATING)('keeps its memory bounded when asked about ever new names', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const policy = policyOf({ ada: { allow: { servers: ['*'], tools: { '*': ['known'] } } } })
  const used = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = used()
  for (let i = 0; i < 200_000; i++) policy.tool({ id: 'ada' }, `s${i % 7}`, `other${i}`)
  expect(used() - before).toBeLessThan(16 * 1024 * 1024)
  // Asked once more, so that the policy itself is not collected before it is measured.
  expect(policy.tool({ id: 'ada' }, 's0', 'known').effect).toBe('allow')
})

describe('scripts', () => {
  const agents = {
    ada: { allow: { servers: ['*'], scripts: true } },
    bob: { allow: { servers: ['*'], scripts: false } },
  }
  const rules = { agents, denyOnMissingAgent: true }

  it('are for agents whose rules allow them', () => {
    const policy = createPolicy(rules, { budgets: { ada: 500 } })
    expect(policy.scripts({ id: 'ada' })).toEqual({
      effect: 'allow',
      grant: { rule: 'agents.ada.allow.scripts', maxTokens: 500 },
    })
    expect(policy.scripts({ id: 'bob' })).toEqual({
      effect: 'deny',
      rule: 'agents.bob (no allow.scripts)',
      reason: 'scripts_not_allowed',
      message: "Agent 'bob' may not run scripts",
    })
    for (const id of ['mallory', 'constructor', '__proto__'])
      expect(policy.scripts({ id })).toMatchObject({ effect: 'deny' })
  })

  it('are for a sub-agent when they are for every ancestor', () => {
    const policy = createPolicy(rules)
    const effect = (id: string, ...ancestors: string[]) => policy.scripts({ id, ancestors }).effect
    expect(effect('sub', 'ada')).toBe('allow')
    expect(effect('sub', 'ada', 'bob')).toBe('deny')
    expect(effect('bob', 'ada')).toBe('deny')
  })

  it('are for all without rules only where the settings say so, and for nobody where they are off', () => {
    const ruleFor = (scripts: boolean | 'auto', own?: typeof rules) =>
      ruleOf(createPolicy(own, { scripts }).scripts({ id: 'ada' }))
    expect(ruleFor('auto')).toBe('- no rules file (scripts.enabled is "auto")')
    expect(ruleFor(true)).toBe('+ no rules file')
    expect(ruleFor(false, rules)).toBe('- scripts.enabled')
    expect(ruleFor('auto', rules)).toBe('+ agents.ada.allow.scripts')
  })
})
