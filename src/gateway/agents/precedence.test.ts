import { expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { conditionsReady } from '../conditions/condition.ts'
import { createPolicy } from './policy.ts'
import type { AgentRules, AskEntry } from './rules.ts'
import type { Decision } from './decision.ts'

const servers = ['bank']
const entry = (max: number): JsonObject => ({ properties: { sum: { maximum: max } } })
const pay = (...entries: (string | AskEntry)[]): Pick<AgentRules, 'ask'> => ({
  ask: { tools: { bank: entries } },
})

function said(decision: Decision): string {
  if (decision.effect === 'deny') return 'deny'
  return decision.grant.ask ? 'ask' : 'allow'
}

async function decide(own: AgentRules, args?: JsonObject, more: object = {}) {
  const policy = createPolicy({ agents: { ada: own }, denyOnMissingAgent: true, ...more })
  await conditionsReady()
  return policy.tool({ id: 'ada' }, 'bank', 'pay', args)
}

/** Deny is above ask, and ask is above allow; the guide has the same table. */
it.each<[what: string, AgentRules, sum: number | string | undefined, answer: string]>([
  ['nothing said', {}, 5, 'deny'],
  ['allow', { allow: { servers } }, 5, 'allow'],
  ['ask grants nothing', pay('pay'), 5, 'deny'],
  ['allow + ask', { allow: { servers }, ...pay('pay') }, 5, 'ask'],
  ['allow + ask by pattern', { allow: { servers }, ...pay('p*') }, 5, 'ask'],
  ['allow + ask of another tool', { allow: { servers }, ...pay('get') }, 5, 'allow'],
  ['allow + ask on the server', { allow: { servers }, ask: { servers } }, 5, 'ask'],
  ['allow + ask of the effect', { allow: { servers }, ask: { effects: ['write'] } }, 5, 'ask'],
  ['allow + ask of another effect', { allow: { servers }, ask: { effects: ['read'] } }, 5, 'allow'],
  [
    'deny + ask',
    { allow: { servers }, ...pay('pay'), deny: { tools: { bank: ['pay'] } } },
    5,
    'deny',
  ],
  [
    'conditional deny + ask',
    {
      allow: { servers },
      ...pay('pay'),
      deny: { tools: { bank: [{ tool: 'pay', when: entry(9) }] } },
    },
    5,
    'deny',
  ],
  [
    'conditional deny that does not match + ask',
    {
      allow: { servers },
      ...pay('pay'),
      deny: { tools: { bank: [{ tool: 'pay', when: entry(9) }] } },
    },
    50,
    'ask',
  ],
  ['conditional ask', { allow: { servers }, ...pay({ tool: 'pay', when: entry(9) }) }, 5, 'ask'],
  [
    'conditional ask that does not match',
    { allow: { servers }, ...pay({ tool: 'pay', when: entry(9) }) },
    50,
    'allow',
  ],
  [
    'conditional ask that is unsure',
    { allow: { servers }, ...pay({ tool: 'pay', when: entry(9) }) },
    '5',
    'deny',
  ],
  ['ask unless', { allow: { servers }, ...pay({ tool: 'pay', unless: [entry(9)] }) }, 5, 'allow'],
  [
    'ask unless, which does not match',
    { allow: { servers }, ...pay({ tool: 'pay', unless: [entry(9)] }) },
    50,
    'ask',
  ],
  [
    'ask unless, which is unsure',
    { allow: { servers }, ...pay({ tool: 'pay', unless: [entry(9)] }) },
    '5',
    'ask',
  ],
  [
    'unless of one entry, ask of another',
    { allow: { servers }, ...pay({ tool: 'pay', unless: [entry(9)] }, '*') },
    5,
    'ask',
  ],
  [
    'conditional allow + ask',
    { allow: { servers, tools: { bank: [{ tool: 'pay', when: entry(9) }] } }, ...pay('pay') },
    5,
    'ask',
  ],
  [
    'conditional allow that does not match + ask',
    { allow: { servers, tools: { bank: [{ tool: 'pay', when: entry(9) }] } }, ...pay('pay') },
    50,
    'deny',
  ],
])('%s', async (_, own, sum, answer) => {
  expect(said(await decide(own, sum === undefined ? undefined : { sum }))).toBe(answer)
})

it('a group asks about what another rule allows, and a handle keeps the question of its parent', async () => {
  const groups = { all: { match: { agent: '*' }, ask: { tools: { '*': ['pay'] } } } }
  const own = { allow: { servers } }
  expect(said(await decide(own, {}, { groups }))).toBe('ask')
  const asking = { ...own, ...pay('pay') }
  const policy = createPolicy({ agents: { ada: asking }, denyOnMissingAgent: true })
  const child = { id: 'kid', ancestors: ['ada'], within: [{ tools: { bank: ['pay'] } }] }
  expect(said(policy.tool(child, 'bank', 'pay', {}))).toBe('ask')
  const also = { agents: { ada: asking }, denyOnMissingAgent: true }
  const both = createPolicy({ agents: { ada: own }, denyOnMissingAgent: true }, { also })
  expect(said(both.tool({ id: 'ada' }, 'bank', 'pay', {}))).toBe('ask')
  const denials = createPolicy(
    { agents: { ada: own }, denyOnMissingAgent: true },
    { denials: also },
  )
  expect(said(denials.tool({ id: 'ada' }, 'bank', 'pay', {}))).toBe('ask')
  expect(said(denials.server({ id: 'ada' }, 'bank'))).toBe('allow')
})
