import { describe, expect, it } from 'vitest'
import { mergeRules } from './merge-rules.ts'
import { parseRules } from './parse-rules.ts'
import { undefinedServers, undefinedTools } from './undefined-names.ts'

const parse = (content: unknown) => parseRules(content, 'rules.json')
const messages = (content: unknown) => parse(content).problems.map(({ message }) => message)
const withPattern = (pattern: string) => ({ agents: { a: { deny: { tools: { pg: [pattern] } } } } })

it('reads agents and defaults as they stand', () => {
  const agents = {
    'team.role-1_x': { allow: { servers: ['*'], tools: { '*': ['get_*'], pg: ['*_rows', '*'] } } },
    default: { deny: { servers: ['*'] } },
  }
  expect(parse({ agents, defaults: { deny_on_missing_agent: false } })).toEqual({
    rules: { agents, denyOnMissingAgent: false },
    problems: [],
    warnings: [],
  })
})

const said = (deny?: boolean) =>
  parse({ agents: {}, defaults: { deny_on_missing_agent: deny } }).rules ?? { agents: {} }

it('denies missing agents unless the file, or one beneath it, tells otherwise', () => {
  expect(mergeRules([said()])?.denyOnMissingAgent).toBe(true)
  expect(mergeRules([said(false)])?.denyOnMissingAgent).toBe(false)
  expect(mergeRules([said(false), said()])?.denyOnMissingAgent).toBe(false)
  expect(mergeRules([said(false), said(true)])?.denyOnMissingAgent).toBe(true)
})

describe('patterns', () => {
  it.each(['read', '*', 'read_*', '*_read', 'v?', 'v[0-9]'])('may be %s', (pattern) => {
    expect(messages(withPattern(pattern))).toEqual([])
  })

  it.each([
    ['*a*', 'contains multiple wildcards - only one allowed'],
    ['**', 'contains multiple wildcards - only one allowed'],
    ['a*b', 'must be at start, end, or alone'],
    ['', 'must not be empty'],
  ])('may not be "%s"', (pattern, complaint) => {
    expect(messages(withPattern(pattern))).toEqual([expect.stringContaining(complaint)])
    expect(parse(withPattern(pattern)).problems[0]?.path).toBe('agents.a.deny.tools.pg[0]')
  })

  it('may not stand for part of a server name, where a rule would silently not apply', () => {
    const agents = { a: { deny: { servers: ['browser_*'], tools: { 'br*': ['x'] } } } }
    expect(parse({ agents }).problems.map(({ path }) => path)).toEqual([
      'agents.a.deny.servers[0]',
      'agents.a.deny.tools.br*',
    ])
  })
})

it.each<[unknown, string]>([
  [[], 'must be an object, got array'],
  [{ agents: [] }, '"agents" must be an object, got array'],
  [{ agents: { a: 1 } }, 'Agent "a" must be an object, got number'],
  [{ agents: { a: { allow: [] } } }, 'Agent "a": "allow" must be an object, got array'],
  [
    { agents: { a: { allow: { servers: 'pg' } } } },
    'Agent "a": "allow.servers" must be an array, got string',
  ],
  [
    { agents: { a: { allow: { servers: [1] } } } },
    'Agent "a": "allow.servers[0]" must be a string, got number',
  ],
  [
    { agents: { a: { deny: { tools: { pg: 'x' } } } } },
    'Agent "a": "deny.tools.pg" must be an array, got string',
  ],
  [
    { defaults: { deny_on_missing_agent: 'no' } },
    '"defaults.deny_on_missing_agent" must be a boolean, got string',
  ],
  [
    { agents: { 'a b': {} } },
    'Agent ID "a b" contains invalid characters - only letters, digits, "_", ".", "-", "@" and "+" are allowed',
  ],
  [{ agents: { '': {} } }, 'Agent ID must not be empty'],
])('names the mistake in %j', (content, message) => {
  expect(messages(content)).toEqual([message])
})

it('does not read a misspelt "deny" as no denial', () => {
  expect(parse({ agents: { a: { denny: { servers: ['*'] } } } }).problems).toMatchObject([
    { path: 'agents.a.denny', hint: "Did you mean 'deny'?" },
  ])
})

describe('groups', () => {
  it('are read as they stand', () => {
    const groups = {
      platform: {
        match: { claim: 'groups', any: ['platform'] },
        allow: { servers: ['*'] },
        deny: { tools: { pg: ['drop*'] } },
      },
      partners: { match: { user: '*@partner.example' }, allow: { servers: ['docs'] } },
    }
    const { rules, problems } = parse({ groups })
    expect(problems).toEqual([])
    expect(rules && mergeRules([rules])?.groups).toEqual(groups)
  })

  it.each<[object, string]>([
    [
      { match: {} },
      'Group "g": "match" selects nobody - it needs "user", "agent", "client" or "claim"',
    ],
    [{ match: { claim: 'groups' } }, 'Group "g": "claim" needs "any" or "all", and these need it'],
    [
      { match: { user: 'a', any: ['x'] } },
      'Group "g": "claim" needs "any" or "all", and these need it',
    ],
    [
      { match: { user: 'a' }, deny: { tools: { pg: ['a*b'] } } },
      'Group "g" deny.tools.pg[0]: pattern "a*b" has a wildcard in the middle - it must be at start, end, or alone',
    ],
  ])('may not be %j', (group, message) => {
    expect(messages({ groups: { g: group } })).toEqual([message])
  })

  it('does not read a misspelt "claim" as no claim', () => {
    const { problems } = parse({ groups: { g: { match: { user: 'a', clam: 'x' } } } })
    expect(problems).toMatchObject([{ path: 'groups.g.match.clam', hint: "Did you mean 'claim'?" }])
  })
})

it('warns of keys it does not know and leaves comments alone', () => {
  const { problems, warnings } = parse({ $schema: 'x', _comment: 'y', owner: 'z', agents: {} })
  expect(problems).toEqual([])
  expect(warnings).toEqual([
    'owner: unknown key "owner", expected "agents" or "groups" or "defaults"',
  ])
})

it('warns of servers that nobody defined', () => {
  const { rules } = parse({
    agents: {
      a: { allow: { servers: ['pg', 'x', '*'] }, deny: { tools: { y: ['z'], '*': ['z'] } } },
    },
  })
  expect(rules && undefinedServers(rules, new Set(['pg']))).toEqual([
    'Agent "a" allow.servers references undefined server "x"',
    'Agent "a" deny.tools references undefined server "y"',
  ])
  expect(rules && undefinedServers(rules, new Map([['pgx', 1]]))[0]).toBe(
    `Agent "a" allow.servers references undefined server "pg". Did you mean 'pgx'?`,
  )
})

it('warns of tools that no server has, and of none before it has listed any', () => {
  const { rules } = parse({
    agents: {
      a: {
        allow: { servers: ['*'], tools: { pg: ['query', 'get_*', 'drop_tabel', 'set_?'] } },
        deny: { tools: { '*': ['never'], unlisted: ['anything'] } },
        ask: { tools: { pg: [{ tool: 'qery', when: {} }] } },
      },
    },
  })
  const tools = ['query', 'get_rows', 'drop_table']
  const toolsOf = (server: string) => (server === 'pg' ? tools : [])
  const missing = 'which is no tool of server "pg"'
  expect(rules && undefinedTools(rules, toolsOf)).toEqual([
    `Agent "a" allow.tools references "drop_tabel", ${missing}. Did you mean 'drop_table'?`,
    `Agent "a" allow.tools references "set_?", ${missing}`,
    `Agent "a" ask.tools references "qery", ${missing}. Did you mean 'query'?`,
  ])
})

it('warns of lists of tools that are empty, and says what they mean', () => {
  const agents = {
    ada: { allow: { servers: ['*'], tools: { pg: [], files: ['read'] } } },
    bob: { allow: { servers: ['*'] }, deny: { tools: { pg: [] } } },
  }
  expect(parse({ agents })).toMatchObject({
    problems: [],
    warnings: [
      'agents.ada.allow.tools.pg: an empty list allows no tool of "pg"; leave it out to allow all',
      'agents.bob.deny.tools.pg: an empty list denies nothing; leave it out, or deny "*"',
    ],
  })
})

const withEntry = (entry: unknown) => ({ agents: { a: { allow: { tools: { pg: [entry] } } } } })

describe('conditions', () => {
  it.each<[unknown, string, string]>([
    [{ tool: 'a*b' }, '.tool', 'wildcard in the middle'],
    [{ when: {} }, '', 'object'],
    [{ tool: 'x', where: {} }, '.where', 'unknown key'],
    [
      { tool: 'x', when: { properties: { sum: { maxmum: 5 } } } },
      '.when.properties.sum.maxmum',
      "'maximum'",
    ],
    [{ tool: 'x', when: { not: {} } }, '.when', 'can never match'],
    [{ tool: 'x', when: true }, '', 'object'],
  ])('%j is an error of the file', (entry, path, message) => {
    const { problems } = parse(withEntry(entry))
    expect(problems).toMatchObject([{ message: expect.stringContaining(message) }])
    expect(problems[0]?.path).toBe(`agents.a.allow.tools.pg[0]${path}`)
  })

  it('are read as they stand', () => {
    const entry = { tool: 'write_*', when: { properties: { path: { within: '/srv' } } } }
    expect(parse(withEntry(entry)).rules?.agents).toEqual(withEntry(entry).agents)
  })
})
