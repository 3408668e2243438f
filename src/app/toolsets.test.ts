import { expect, it } from 'vitest'
import { createPolicy } from '../gateway/agents/policy.ts'
import type { Agent } from '../gateway/call.ts'
import { createToolsets } from './toolsets.ts'

const set = (...tools: string[]) => ({ tools, defaultFor: [] })
const toolsets = createToolsets(
  {
    front: { ...set('figma.get_*', 'github.*'), budget: 500 },
    none: set(),
    cooks: { ...set('oven.*'), defaultFor: ['ada', 'designers', 'kitchen', 'bob@x.example'] },
  },
  { groups: { kitchen: { match: { agent: 'cook-*' } } } },
)
const ADA: Agent = { id: 'ada', proof: 'claim' }
const CAROL: Agent = { id: 'carol', proof: 'claim' }

it.each([
  ['figma', 'get_file', 'allow'],
  ['figma', 'delete_file', 'deny'],
  ['github', 'anything', 'allow'],
  ['oven', 'bake', 'deny'],
])('%s.%s is %s', (server, tool, effect) => {
  const policy = createPolicy(undefined)
  expect(policy.tool(toolsets.narrow(CAROL, 'front'), server, tool).effect).toBe(effect)
  expect(policy.tool(toolsets.narrow(CAROL, 'none'), server, tool).effect).toBe('deny')
})

const tokens = (own: number) => {
  const policy = createPolicy(undefined, { budgets: { carol: own } })
  const decision = policy.tool(toolsets.narrow(CAROL, 'front'), 'github', 'x')
  return decision.effect === 'allow' && decision.grant.maxTokens
}

it('shortens results to its budget, and to that of the agent if it is less', () => {
  expect([tokens(9_000), tokens(100)]).toEqual([500, 100])
})

const person = (user: string, groups: string[]) => ({ ...CAROL, person: { user, groups } })

it.each([
  [ADA, 'cooks'],
  [{ ...CAROL, ancestors: ['ada'] }, 'cooks'],
  [{ ...CAROL, id: 'cook-7' }, 'cooks'],
  [person('bob@x.example', []), 'cooks'],
  [person('dora', ['designers']), 'cooks'],
  [person('dora', ['others']), undefined],
  [CAROL, undefined],
])('the default of %j is %s', (agent: Agent, toolset) => {
  expect(toolsets.narrow(agent, undefined).toolset).toBe(toolset)
  expect(toolsets.narrow(agent, 'front').toolset).toBe('front')
})

it('adds to the limits of a handle', () => {
  const within = [{ servers: ['github'] }]
  const agent = toolsets.narrow({ ...CAROL, within }, 'front')
  const policy = createPolicy(undefined)
  expect(policy.tool(agent, 'github', 'x').effect).toBe('allow')
  expect(policy.tool(agent, 'figma', 'get_file').effect).toBe('deny')
})

it('refuses a toolset that does not exist, with the nearest name', () => {
  expect(() => toolsets.narrow(CAROL, 'frnt')).toThrow("There is no toolset 'frnt'")
  expect(toolsets.problem('frnt')?.details.hint).toBe("Did you mean 'front'?")
  expect(toolsets.problem('front')).toBeUndefined()
})
