import { describe, expect, it } from 'vitest'
import { createPolicy } from '../../gateway/agents/policy.ts'
import { explainAccess, notesOnNames } from './explain-access.ts'

const rules = {
  agents: { ada: { allow: { servers: ['git'] }, deny: { tools: { git: ['push'] } } }, bob: {} },
  groups: {},
  denyOnMissingAgent: true,
}
const policy = createPolicy(rules)

describe('a decision of the rules', () => {
  it('names who may do what, and by which rule', () => {
    const ada = { agent: 'ada' }
    expect(explainAccess({ ...ada, server: 'git' }, policy.server({ id: 'ada' }, 'git'))).toEqual({
      effect: 'allow',
      rule: 'agents.ada.allow.servers[0]',
      reason: null,
      message: "Agent 'ada' can access server 'git'",
    })
    const tool = policy.tool({ id: 'ada' }, 'git', 'log')
    expect(explainAccess({ ...ada, server: 'git', tool: 'log' }, tool)).toMatchObject({
      effect: 'allow',
      message: "Agent 'ada' is authorized to call tool 'log' on server 'git'",
    })
    expect(explainAccess(ada, tool)).toMatchObject({ message: "Agent 'ada' may run scripts" })
  })

  it('that denies says why', () => {
    const denied = policy.tool({ id: 'ada' }, 'git', 'push')
    const explained = explainAccess({ agent: 'ada', server: 'git', tool: 'push' }, denied)
    expect(explained).toEqual({
      effect: 'deny',
      rule: 'agents.ada.deny.tools.git[0]',
      reason: expect.any(String),
      message: expect.stringContaining('push'),
    })
  })
})

describe('names that nobody has defined', () => {
  const servers = new Map()
  const config = { rules, servers, paths: { rules: '/p/rules.json', mcp: '/p/.mcp.json' } }

  it('are pointed out, with those that may have been meant', () => {
    expect(notesOnNames({ agent: 'adda', server: 'gti' }, config)).toEqual([
      'agent "adda" is not in /p/rules.json. Did you mean \'ada\'?',
      'server "gti" is not in /p/.mcp.json',
    ])
    expect(notesOnNames({ agent: 'zzzzzz' }, { ...config, paths: {} })).toEqual([
      'agent "zzzzzz" is not in the rules',
    ])
    expect(notesOnNames({ agent: 'ada', server: 'x' }, { ...config, paths: {} })).toEqual([
      'server "x" is not in any .mcp.json',
    ])
  })

  it('are none where they are defined, where groups may name them, or without rules', () => {
    expect(notesOnNames({ agent: 'ada' }, config)).toEqual([])
    const groups = { staff: { match: { any: [] }, allow: {} } }
    expect(notesOnNames({ agent: 'x' }, { ...config, rules: { ...rules, groups } })).toEqual([])
    expect(notesOnNames({ agent: 'x' }, { ...config, rules: undefined })).toEqual([])
  })
})
