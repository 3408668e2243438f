import { expect, it } from 'vitest'
import { aListing, anUpstream } from '../../../test/support/a-call.ts'
import type { Agent } from '../../gateway/call.ts'
import { createPolicy } from '../../gateway/agents/policy.ts'
import { createCatalog } from '../../gateway/catalog.ts'
import { findPrompt } from './prompts.ts'

const withPrompts = (name: string, ...prompts: string[]) =>
  anUpstream({
    name,
    listing: { ...aListing(name), prompts: prompts.map((prompt) => ({ name: prompt })) },
  })

const catalog = createCatalog([
  withPrompts('a', 'greet', 'only', 'b__late', 'odd name'),
  withPrompts('b', 'greet'),
  withPrompts('vault', 'only'),
])
const policy = createPolicy({
  agents: { ada: { allow: { servers: ['*'] }, deny: { servers: ['vault'] } } },
  denyOnMissingAgent: true,
})
const ada: Agent = { id: 'ada', proof: 'key' }
const find = (name: string) => findPrompt(name, ada, { catalog, policy })

it('finds a prompt by its exposed name, or by its own while one server has it for this agent', () => {
  expect(find('b__greet')).toEqual({ server: 'b', name: 'greet' })
  expect(find('only')).toEqual({ server: 'a', name: 'only' })
  const odd = { server: 'a', name: 'odd name' }
  expect(find(catalog.prompts.nameOf(odd))).toEqual(odd)
})

it('refuses a name of two servers, and one that another server may have', () => {
  expect(() => find('greet')).toThrow('Name one of them: a__greet, b__greet')
  expect(() => find('b__late')).toThrow('Unknown prompt: b__late')
  expect(find('a__b__late')).toEqual({ server: 'a', name: 'b__late' })
  expect(() => find('vault__only')).toThrow('Unknown prompt: vault__only')
})
