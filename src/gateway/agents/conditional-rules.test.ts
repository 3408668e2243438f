import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { conditionsReady } from '../conditions/condition.ts'
import { type Principal, type PolicyOptions, createPolicy } from './policy.ts'
import type { AgentRules, Rules } from './rules.ts'

const small = { tool: 'pay', when: { required: ['sum'], properties: { sum: { maximum: 100 } } } }
const large = { tool: 'pay', when: { properties: { sum: { minimum: 1_000 } } } }

async function decide(
  own: AgentRules,
  args: JsonObject | undefined,
  {
    who = { id: 'ada' },
    more,
    options,
  }: {
    who?: Principal
    more?: Partial<Rules>
    options?: PolicyOptions
  } = {},
) {
  const policy = createPolicy({ agents: { ada: own }, denyOnMissingAgent: true, ...more }, options)
  await conditionsReady()
  const decision = policy.tool(who, 'bank', 'pay', args)
  return decision.effect === 'allow'
    ? `+ ${decision.grant.rule}${decision.grant.depends ? ' …' : ''}`
    : `- ${decision.rule}`
}

const servers = ['bank']
const RULE = 'agents.ada'

describe('a condition', () => {
  it.each<[string, AgentRules, JsonObject | undefined, string]>([
    [
      'leaves a listed tool open',
      { allow: { servers, tools: { bank: [small] } } },
      undefined,
      `+ ${RULE}.allow.tools.bank[0] …`,
    ],
    [
      'allows',
      { allow: { servers, tools: { bank: [small] } } },
      { sum: 5 },
      `+ ${RULE}.allow.tools.bank[0]`,
    ],
    [
      'allows nothing else',
      { allow: { servers, tools: { bank: [small] } } },
      { sum: 500 },
      `- ${RULE}.allow.tools.bank (no condition matches the arguments)`,
    ],
    [
      'does not allow what it is unsure of',
      { allow: { servers, tools: { bank: [small] } } },
      { sum: '5' },
      `- ${RULE}.allow.tools.bank[0]`,
    ],
    [
      'denies',
      { allow: { servers }, deny: { tools: { bank: [large] } } },
      { sum: 5_000 },
      `- ${RULE}.deny.tools.bank[0]`,
    ],
    [
      'denies what it is unsure of',
      { allow: { servers }, deny: { tools: { bank: [large] } } },
      { sum: '5' },
      `- ${RULE}.deny.tools.bank[0]`,
    ],
    [
      'denies nothing else',
      { allow: { servers }, deny: { tools: { '*': [large] } } },
      { sum: 5 },
      `+ ${RULE}.allow.servers[0]`,
    ],
    [
      'leaves a tool with a conditional denial listed',
      { allow: { servers }, deny: { tools: { bank: [large] } } },
      undefined,
      `+ ${RULE}.allow.servers[0] …`,
    ],
    [
      'does not weaken a denial without one',
      { allow: { servers }, deny: { tools: { bank: ['x', large, 'pay'] } } },
      undefined,
      `- ${RULE}.deny.tools.bank[2]`,
    ],
    [
      'does not narrow an entry without one',
      { allow: { servers, tools: { bank: [small, 'p*'] } } },
      { sum: 500 },
      `+ ${RULE}.allow.tools.bank[1]`,
    ],
    [
      'is beaten by a denial',
      { allow: { servers, tools: { bank: [small] } }, deny: { tools: { bank: [{ tool: '*' }] } } },
      { sum: 5 },
      `- ${RULE}.deny.tools.bank[0]`,
    ],
    [
      'matters only for the tools it names',
      { allow: { servers }, deny: { tools: { bank: [{ ...large, tool: 'other' }] } } },
      undefined,
      `+ ${RULE}.allow.servers[0]`,
    ],
  ])('%s', async (_, own, args, answer) => {
    expect(await decide(own, args)).toBe(answer)
  })

  const all = { match: { agent: '*' } }
  it.each<[string, Partial<Rules>, JsonObject | undefined, string]>([
    [
      'denies',
      { groups: { all: { ...all, deny: { tools: { bank: [large] } } } } },
      { sum: 5_000 },
      '- groups.all.deny.tools.bank[0]',
    ],
    [
      'says so before the arguments are known',
      { groups: { all: { ...all, deny: { tools: { bank: [large] } } } } },
      undefined,
      `+ ${RULE}.allow.tools.bank[0] …`,
    ],
    [
      'allows what no other does',
      {
        groups: {
          all: {
            ...all,
            allow: { servers, tools: { bank: [{ tool: 'pay', when: { maxProperties: 0 } }] } },
          },
        },
      },
      {},
      '+ groups.all.allow.tools.bank[0]',
    ],
  ])('of a group %s', async (_, more, args, answer) => {
    const own = { allow: { servers, tools: { bank: [small] } } }
    expect(await decide(own, args, { more })).toBe(answer)
  })

  it('of a parent holds for its sub-agents, and that of a changed file beside the trusted one', async () => {
    const open = { allow: { servers } }
    const strict = { allow: { servers }, deny: { tools: { bank: [large] } } }
    const rule = `- ${RULE}.deny.tools.bank[0]`
    const child = { id: 'kid', ancestors: ['ada'], within: [{ tools: { bank: ['pay'] } }] }
    const sum = { sum: 5_000 }
    expect(await decide(strict, sum, { who: child })).toBe(rule)
    expect(await decide(strict, undefined, { who: child })).toContain('…')
    const also = { agents: { ada: strict }, denyOnMissingAgent: true }
    expect(await decide(open, sum, { options: { also } })).toBe(rule)
    expect(await decide(open, undefined, { options: { also } })).toContain('…')
    expect(await decide(open, sum, { options: { denials: also } })).toBe(rule)
    expect(await decide(open, { sum: 5 }, { options: { denials: also } })).toContain('+')
  })
})
