import { expect, it } from 'vitest'
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
