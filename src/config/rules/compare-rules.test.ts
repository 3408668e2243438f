import { expect, it } from 'vitest'
import { compareRules } from './compare-rules.ts'

const compare = (before: object, after: object) =>
  compareRules(
    { agents: { ada: before }, denyOnMissingAgent: true },
    { agents: { ada: after }, denyOnMissingAgent: true },
  )

const title = (text: string) => `agent "ada": ${text}`

it('tells what takes rights away from what grants them', () => {
  const before = {
    allow: { servers: ['crm'], tools: { crm: ['get'] }, scripts: true },
    deny: { tools: { crm: ['drop_*'] } },
  }
  const after = {
    allow: { servers: ['docs'], tools: { crm: ['put'] } },
    deny: { servers: ['mail'], effects: ['delete'] },
  }
  expect(compare(before, after)).toEqual({
    narrower: [
      'deny.servers "mail" added',
      'deny.effects "delete" added',
      'allow.servers "crm" removed',
      'allow.scripts removed',
      'allow.tools.crm "get" removed',
    ].map(title),
    wider: [
      'allow.servers "docs" added',
      'deny.tools.crm "drop_*" removed',
      'allow.tools.crm "put" added',
    ].map(title),
  })
})

it('knows that a list of allowed tools takes away all others', () => {
  const [without, list] = [{ allow: {} }, { allow: { tools: { crm: ['get'] } } }]
  expect(compare(without, list)).toEqual({
    narrower: ['agent "ada": allow.tools.crm added'],
    wider: [],
  })
  expect(compare(list, without).wider).toEqual(['agent "ada": allow.tools.crm removed'])
})

const rulesFor = (agent: string, denyOnMissingAgent: boolean) => ({
  agents: {},
  groups: { crew: { match: { agent } } },
  denyOnMissingAgent,
})

it('counts other members of a group on both sides', () => {
  expect(compareRules(rulesFor('a*', false), rulesFor('b*', true))).toEqual({
    narrower: [
      'group "crew": members by the old "match" alone removed',
      'defaults.deny_on_missing_agent changed',
    ],
    wider: ['group "crew": members by the new "match" alone added'],
  })
})
