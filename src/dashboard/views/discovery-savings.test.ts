import { expect, it } from 'vitest'
import type { CallEvent } from '../../gateway/call.ts'
import { createCatalog } from '../../gateway/catalog.ts'
import { createPolicy } from '../../gateway/agents/policy.ts'
import type { Rules } from '../../gateway/agents/rules.ts'
import { countTokens } from '../../shaping/tokens.ts'
import { META_DEFINITIONS } from '../../surfaces/discover.ts'
import { Timeline } from '../../telemetry/timeline.ts'
import { createBroken } from '../../upstreams/broken.ts'
import { EMPTY_LISTING, toTool } from '../../upstreams/listing/listing.ts'
import { DiscoverySavings } from './discovery-savings.ts'
import { type Priced, TokenCosts } from './token-costs.ts'

const DEFINITIONS = ['read', 'write', 'list'].map((name) => ({
  name,
  description: 'Does what its name says. '.repeat(20),
  inputSchema: { type: 'object' },
}))

function aWorld(rules?: Rules): Priced {
  const tools = DEFINITIONS.map((one) => toTool('files', one))
  const upstream = {
    ...createBroken('files', undefined, 'not asked here'),
    listing: { ...EMPTY_LISTING, tools },
  }
  return {
    catalog: createCatalog([upstream]),
    policy: createPolicy(rules),
    surfaceOf: () => 'discover',
    pinsOf: () => [],
    countTokens: (text) => countTokens(text),
  }
}

const tokensOf = (values: readonly object[]) =>
  values.reduce((sum, value) => sum + countTokens(JSON.stringify(value)), 0)
const PER_LISTING = tokensOf(DEFINITIONS) - tokensOf(META_DEFINITIONS)

function savings() {
  const timeline = new Timeline()
  const found = new DiscoverySavings(timeline)
  const record = (event: Partial<CallEvent>) =>
    found.record({ id: '1', startedAt: Date.now(), operation: 'x', agent: 'ada', ...event })
  return { found, record, timeline }
}

it('is all definitions less those shown, for each listing', () => {
  const { found, record, timeline } = savings()
  for (let n = 0; n < 3; n++) record({ operation: 'tools/list', surface: 'discover' })
  record({ operation: 'tools/list', surface: 'direct' })
  found.settle(aWorld(), new TokenCosts())
  expect(found).toMatchObject({ listings: 3, tokens: 3 * PER_LISTING })
  const { discoveryTokens } = timeline.points('5m')
  expect(discoveryTokens.reduce((sum, tokens) => sum + tokens)).toBe(3 * PER_LISTING)
})

it('takes off what discovery itself answered', () => {
  const { found, record } = savings()
  record({ surface: 'discover' })
  record({ operation: 'find_tools', answerChars: 400 })
  found.settle(aWorld(), new TokenCosts())
  expect(found.tokens).toBe(PER_LISTING - 100)
})

it('counts only what the agent may see, and is a loss where discovery shows more', () => {
  const { found, record } = savings()
  record({ surface: 'discover' })
  const allow = { servers: ['files'], tools: { files: ['read'] } }
  const [read] = DEFINITIONS
  found.settle(aWorld({ agents: { ada: { allow } }, denyOnMissingAgent: true }), new TokenCosts())
  expect(found.tokens).toBe(tokensOf(read ? [read] : []) - tokensOf(META_DEFINITIONS))
  expect(found.tokens).toBeLessThan(0)
})

it('says nothing of those whose rights it does not know, and counts nothing twice', () => {
  const { found, record } = savings()
  record({ surface: 'discover', agent: 'holder-of-a-handle' })
  const world = aWorld({ agents: { ada: {} }, denyOnMissingAgent: true })
  found.settle(world, new TokenCosts())
  found.settle(world, new TokenCosts())
  expect(found).toMatchObject({ tokens: 0, listings: 1 })
})

it('keeps little while nobody looks', () => {
  const { found, record } = savings()
  for (let n = 0; n < 20_000; n++) record({ surface: 'discover', startedAt: n * 1_000 })
  found.settle(aWorld(), new TokenCosts())
  expect(found.tokens).toBe(20_000 * PER_LISTING)
})

it('keeps a bounded number of agents, whatever names callers make up', () => {
  const found = new DiscoverySavings(new Timeline())
  // With work for each call in proportion to what is kept, this would take minutes.
  for (let n = 0; n < 200_000; n++)
    found.record({
      id: `c${n}`,
      startedAt: 1_000,
      operation: 'tools/list',
      agent: `made-up-${n}`,
      surface: 'discover',
    })
  const world = aWorld()
  let looked = 0
  const knows = () => {
    looked += 1
    return false
  }
  found.settle({ ...world, policy: { ...world.policy, knows } }, new TokenCosts())
  expect(looked).toBe(5_000)
})
