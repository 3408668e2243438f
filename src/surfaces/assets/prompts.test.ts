import { expect, it } from 'vitest'
import { aClient, aListing, anUpstream } from '../../../test/support/a-call.ts'
import type { Agent } from '../../gateway/call.ts'
import { createPolicy } from '../../gateway/agents/policy.ts'
import { createCatalog } from '../../gateway/catalog.ts'
import { findPrompt, listPrompts } from './prompts.ts'
import { listResources, listResourceTemplates } from './resources.ts'

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

const assets = (name: string) => ({
  ...aListing('a'),
  prompts: [{ name }],
  resources: [{ uri: `x://${name}` }],
  resourceTemplates: [{ uriTemplate: `x://${name}/{id}` }],
})

it('lists and finds what the connection of a client offers, which may differ from that of others', () => {
  const listingFor = () => assets('own')
  const server = anUpstream({ name: 'a', listing: assets('common'), listingFor })
  const world = { catalog: createCatalog([server]), policy }
  const client = aClient()
  expect(listPrompts(ada, world, client)).toEqual([{ name: 'own' }])
  expect(listResources(ada, world, client)).toEqual([{ uri: 'x://own' }])
  expect(listResourceTemplates(ada, world, client)).toEqual([{ uriTemplate: 'x://own/{id}' }])
  expect(findPrompt('own', ada, world, client)).toEqual({ server: 'a', name: 'own' })
  expect(() => findPrompt('common', ada, world, client)).toThrow('Unknown prompt')
})
