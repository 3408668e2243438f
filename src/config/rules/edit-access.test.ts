import { describe, expect, it } from 'vitest'
import { conditionsReady } from '../../gateway/conditions/condition.ts'
import { createPolicy } from '../../gateway/agents/policy.ts'
import { parseJson } from '../parse-text.ts'
import { type AccessChange, withAccess } from './edit-access.ts'
import { mergeRules } from './merge-rules.ts'
import { parseRules } from './parse-rules.ts'

const TEXT = `{
  // who may do what
  "agents": {
    "ada": {
      "allow": { "servers": ["git", "db"], "tools": { "db": ["read"] } }, // two
      "deny": {
        "tools": {
          "git": [
            "push", // never
            "reset"
          ]
        }
      }
    }
  }
}
`

function policyOf(text: string) {
  const { rules, problems } = parseRules(parseJson(text), 'rules')
  expect(problems).toEqual([])
  const merged = mergeRules(rules ? [rules] : [])
  if (!merged) throw new Error('no rules')
  return createPolicy(merged)
}

const CHANGES: readonly AccessChange[] = [
  { agent: 'ada', server: 'db', effect: 'deny' },
  { agent: 'ada', server: 'web', effect: 'allow' },
  { agent: 'ada', server: 'git', tool: 'push', effect: 'allow' },
  { agent: 'ada', server: 'git', tool: 'log', effect: 'deny' },
  { agent: 'ada', server: 'db', tool: 'write', effect: 'allow' },
  { agent: 'ada', server: 'web', tool: 'get', effect: 'allow' },
]

it.each(CHANGES)('$effect $server $tool takes effect, and its opposite takes it back', (change) => {
  const { agent, server, tool, effect } = change
  const decide = (text: string) =>
    tool === undefined
      ? policyOf(text).server({ id: agent }, server).effect
      : policyOf(text).tool({ id: agent }, server, tool).effect
  const opposite = effect === 'allow' ? 'deny' : 'allow'
  expect(decide(TEXT)).toBe(opposite)
  const changed = withAccess(TEXT, change)
  expect(decide(changed)).toBe(effect)
  expect(withAccess(changed, change)).toBe(changed)
  expect(decide(withAccess(changed, { ...change, effect: opposite }))).toBe(opposite)
})

it.each(CHANGES)('asks about $server $tool, until it is allowed or denied again', (change) => {
  const { agent, server, tool } = change
  const decide = (text: string) =>
    tool === undefined
      ? policyOf(text).server({ id: agent }, server)
      : policyOf(text).tool({ id: agent }, server, tool)
  const asking = withAccess(TEXT, { ...change, effect: 'ask' })
  expect(decide(asking)).toMatchObject({ effect: 'allow', grant: { ask: { always: true } } })
  expect(withAccess(asking, { ...change, effect: 'ask' })).toBe(asking)
  const allowed = decide(withAccess(asking, { ...change, effect: 'allow' }))
  expect(allowed).toEqual({ effect: 'allow', grant: { rule: expect.any(String) } })
  expect(decide(withAccess(asking, { ...change, effect: 'deny' })).effect).toBe('deny')
})

const SMALL = { properties: { amount: { maximum: 100 } }, required: ['amount'] }
const LARGE = { not: SMALL }

describe.each(CHANGES)('a condition on $server $tool', ({ agent, server, tool }) => {
  const place = { agent, server, tool }
  const decide = async (text: string, amount: number) => {
    const policy = policyOf(text)
    await conditionsReady()
    return policy.tool({ id: agent }, server, tool ?? 'read', { amount })
  }
  const changed = (effect: AccessChange['effect'], when?: AccessChange['when'], text = TEXT) =>
    withAccess(text, { ...place, effect, when })

  it('allows only calls that match, until all are allowed', async () => {
    const text = changed('allow', SMALL)
    expect(await decide(text, 1)).toMatchObject({ effect: 'allow' })
    expect(await decide(text, 1_000)).toMatchObject({ effect: 'deny' })
    expect(changed('allow', SMALL, text)).toBe(text)
    expect(changed('allow', LARGE, text).match(/maximum/g), 'it is replaced').toHaveLength(1)
    expect(await decide(changed('allow', undefined, text), 1_000)).toMatchObject({
      effect: 'allow',
    })
  })

  it('denies or asks about calls that match, beside each other', async () => {
    const denying = changed('deny', SMALL)
    expect(await decide(denying, 1)).toMatchObject({ effect: 'deny' })
    expect(await decide(denying, 1_000)).toMatchObject({ effect: 'allow' })
    const text = changed('ask', LARGE, denying)
    expect(await decide(text, 1)).toMatchObject({ effect: 'deny' })
    expect(await decide(text, 1_000)).toMatchObject({ grant: { ask: { always: false } } })
    const allowed = await decide(changed('allow', undefined, text), 1_000)
    expect(allowed).toEqual({ effect: 'allow', grant: { rule: expect.any(String) } })
  })
})

it('keeps what a question leaves out when its condition changes', () => {
  const text = `{ "agents": { "ada": {
    "allow": { "servers": ["*"] },
    "ask": { "tools": { "git": [{ "tool": "push", "unless": [{ "title": "docs" }] }] } }
  } } }`
  const when = { required: ['force'] }
  const changed = withAccess(text, {
    agent: 'ada',
    server: 'git',
    tool: 'push',
    effect: 'ask',
    when,
  })
  expect(parseJson(changed)).toMatchObject({
    agents: { ada: { ask: { tools: { git: [{ unless: [{ title: 'docs' }], when }] } } } },
  })
})

it('keeps comments, layout and every other rule', () => {
  const changed = withAccess(TEXT, { agent: 'ada', server: 'web', effect: 'allow' })
  expect(changed).toBe(TEXT.replace('"db"]', '"db", "web"]'))
  const denied = withAccess(TEXT, { agent: 'ada', server: 'git', tool: 'log', effect: 'deny' })
  expect(denied.replaceAll(/\s/g, '')).toBe(
    TEXT.replace('"reset"', '"reset","log"').replaceAll(/\s/g, ''),
  )
})

it('allows a tool again without allowing the others that are denied', () => {
  const changed = withAccess(TEXT, { agent: 'ada', server: 'git', tool: 'push', effect: 'allow' })
  expect(policyOf(changed).tool({ id: 'ada' }, 'git', 'reset').effect).toBe('deny')
  expect(changed).toContain('// who may do what')
})

it('writes on the line of an agent that is on one line', () => {
  const text = `{
  "agents": {
    "ada": { "allow": { "servers": ["git"] } }, // one
    "bob": { "allow": { "servers": ["git"] } }
  }
}
`
  expect(withAccess(text, { agent: 'ada', server: 'git', tool: 'push', effect: 'deny' })).toBe(
    text.replace('"ada": {', '"ada": { "deny": { "tools": { "git": [ "push" ] } },'),
  )
})
