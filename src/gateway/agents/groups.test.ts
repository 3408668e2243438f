import { describe, expect, it } from 'vitest'
import { compileMatch } from './groups.ts'
import type { GroupMatch } from './rules.ts'
import { type Principal, createPolicy } from './policy.ts'
import type { Rules } from './rules.ts'

const person = (user: string, groups: string[] = [], claims = {}): Principal => ({
  id: user,
  person: { user, groups, claims },
})
const ada = person('ada@example.com', ['platform', 'oncall'], {
  realm: { roles: ['dev', '', 7] },
  level: 7,
  team: 'core',
  'https://idp.example/roles': ['admin'],
})

it.each<[GroupMatch, boolean]>([
  [{ claim: 'groups', any: ['platform'] }, true],
  [{ claim: 'groups', any: ['sales', 'plat*'] }, true],
  [{ claim: 'groups', any: ['sales'] }, false],
  [{ claim: 'groups', all: ['platform', 'oncall'] }, true],
  [{ claim: 'groups', all: ['platform', 'sales'] }, false],
  [{ claim: 'realm.roles', any: ['dev'] }, true],
  [{ claim: 'realm.roles', any: ['ops'] }, false],
  [{ user: '*@example.com' }, true],
  [{ user: '*@example.org' }, false],
  [{ user: '*@EXAMPLE.com' }, true],
  [{ user: 'ADA@example.com' }, true],
  [{ agent: '[A-B]da@*' }, true],
  [{ claim: 'groups', any: ['Platform'] }, true],
  [{ claim: 'groups', all: ['PLATFORM', 'OnCall'] }, true],
  [{ user: 'ada@example.com', claim: 'groups', any: ['sales'] }, false],
  [{ agent: ['bob', 'ada*'] }, true],
  [{ client: 'Editor' }, false],
  [{}, false],
  [{ claim: 'groups' }, false],
  [{ claim: 'groups', any: [], all: [] }, false],
  [{ claim: 'level', any: ['*'] }, false],
  [{ claim: 'team', any: ['core'] }, true],
  [{ claim: 'https://idp.example/roles', any: ['admin'] }, true],
  [{ claim: 'realm.roles.length', any: ['*'] }, false],
  [{ claim: 'realm.toString', any: ['*'] }, false],
])('%j has ada: %s', (match, expected) => {
  expect(compileMatch(match)(ada)).toBe(expected)
})

it('has nobody by user or claim who has not signed in', () => {
  const claimed = { id: 'ada@example.com' }
  expect(compileMatch({ user: '*' })(claimed)).toBe(false)
  expect(compileMatch({ claim: 'groups', any: ['*'] })(claimed)).toBe(false)
  expect(compileMatch({ agent: '*' })(claimed)).toBe(true)
})

it('tells clients of one person apart, and the name of a client from none', () => {
  const policy = createPolicy({
    agents: {},
    groups: { editors: { match: { client: 'Editor' }, allow: { servers: ['pg'] } } },
    denyOnMissingAgent: true,
  })
  const may = (who: Principal) => policy.tool(who, 'pg', 'read').effect
  expect(may({ ...ada, client: 'Editor' })).toBe('allow')
  expect(may({ ...ada, client: 'Other' })).toBe('deny')
  expect(may(ada)).toBe('deny')
  expect(may({ id: 'bot', client: 'Editor' })).toBe('allow')
  expect(may({ id: 'bot' })).toBe('deny')
})

describe('rules by group', () => {
  const rules: Rules = {
    agents: { 'bob@example.com': { allow: { servers: ['mail'] } } },
    groups: {
      platform: {
        match: { claim: 'groups', any: ['platform'] },
        allow: { servers: ['pg'], tools: { pg: ['read_*'] } },
      },
      oncall: { match: { claim: 'groups', any: ['oncall'] }, allow: { servers: ['pg', 'pager'] } },
      interns: { match: { claim: 'groups', any: ['interns'] }, deny: { tools: { pg: ['*_all'] } } },
    },
    denyOnMissingAgent: true,
  }
  const policy = createPolicy(rules)
  const may = (who: Principal, server: string, tool: string) => {
    const decision = policy.tool(who, server, tool)
    return decision.effect === 'allow' ? decision.grant.rule : `no: ${decision.rule}`
  }

  it('add up: what one allows is allowed', () => {
    expect(may(person('eve', ['platform']), 'pg', 'read_all')).toBe(
      'groups.platform.allow.tools.pg[0]',
    )
    expect(may(person('eve', ['platform']), 'pg', 'drop')).toMatch(/^no: groups\.platform/)
    expect(may(ada, 'pg', 'drop')).toBe('groups.oncall.allow.servers[0]')
    expect(may(person('bob@example.com', ['oncall']), 'mail', 'send')).toBe(
      'agents.bob@example.com.allow.servers[0]',
    )
    expect(may(person('bob@example.com', ['oncall']), 'pager', 'ring')).toBe(
      'groups.oncall.allow.servers[1]',
    )
  })

  it('deny over allow, whichever group says it', () => {
    const intern = person('ivy', ['oncall', 'interns'])
    expect(may(intern, 'pg', 'drop_all')).toBe('no: groups.interns.deny.tools.pg[0]')
    expect(may(intern, 'pg', 'drop_one')).toBe('groups.oncall.allow.servers[0]')
  })

  it('may allow scripts', () => {
    const match = { claim: 'groups', any: ['oncall'] }
    const scripting = createPolicy({
      agents: {},
      groups: { oncall: { match, allow: { scripts: true } } },
      denyOnMissingAgent: true,
    })
    expect(scripting.scripts(ada)).toMatchObject({
      effect: 'allow',
      grant: { rule: 'groups.oncall.allow.scripts' },
    })
    expect(scripting.scripts({ ...ada, id: 'helper', ancestors: [ada.id] }).effect).toBe('allow')
    expect(scripting.scripts(person('zoe')).effect).toBe('deny')
  })

  it('say nothing for those in none, and name who was refused', () => {
    expect(may(person('zoe', ['sales']), 'pg', 'drop')).toBe(
      'no: agents (no rules for agent "zoe")',
    )
    const refused = policy.tool(person('eve', ['platform']), 'pg', 'drop')
    expect(refused).toMatchObject({ message: expect.stringContaining("Agent 'eve'") })
  })

  it('hold for the sub-agents of a person, and give them nothing more', () => {
    const helper = { ...ada, id: 'helper', ancestors: [ada.id] }
    expect(may(helper, 'pager', 'ring')).toBe('groups.oncall.allow.servers[1]')
    expect(may({ ...helper, within: [{ servers: ['pg'] }] }, 'pager', 'ring')).toMatch(/^no: /)
    expect(may({ ...helper, person: undefined }, 'pager', 'ring')).toMatch(/^no: /)
  })
})

it('rules 500 people by 5 groups', () => {
  const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon']
  const policy = createPolicy({
    agents: {},
    groups: Object.fromEntries(
      names.map((name) => [
        name,
        { match: { claim: 'groups', any: [name] }, allow: { servers: [`${name}-server`] } },
      ]),
    ),
    denyOnMissingAgent: true,
  })
  for (let n = 0; n < 500; n++) {
    const own = names[n % names.length] ?? ''
    const who = person(`person${n}@example.com`, [own])
    const allowed = names.filter(
      (name) => policy.tool(who, `${name}-server`, 'use').effect === 'allow',
    )
    expect(allowed).toEqual([own])
  }
})
