import { expect, it } from 'vitest'
import { aListing, anUpstream } from '../../../test/support/a-call.ts'
import type { Listing } from '../../gateway/upstream.ts'
import type { ListingStore } from '../listing/listing-store.ts'
import { Personal } from './personal.ts'

/** A server that people sign in to; `lists` says what it lists for one of them, or for nobody. */
function aServer() {
  const stores = new Map<string | undefined, ListingStore>()
  const server = new Personal({
    name: 'a',
    kind: 'http',
    description: undefined,
    open: (person, store) => (stores.set(person, store), anUpstream()),
    store: { load: () => undefined, save: () => undefined },
    signIn: () => ({
      generation: () => undefined,
      address: async () => undefined,
      completed: async () => false,
    }),
    nameFor: (person) => person,
    isPersonal: true,
  })
  const lists = (person: string | undefined, listing: Listing) => {
    server.openFor(person)
    stores.get(person)?.save({ listing, asksClients: undefined, eras: {} })
  }
  return { server, stores, lists }
}

const data = (name: string): Listing => ({
  ...aListing('a', [name]),
  resources: [{ uri: `x:${name}` }],
  resourceTemplates: [{ uriTemplate: `x:${name}/{n}` }],
  prompts: [{ name }],
  skills: [{ uri: `skill://${name}` }],
  instructions: name,
})

it('shares the tools that a person has, and nothing else of theirs', () => {
  const { server, stores, lists } = aServer()
  lists('ann', data('ann'))
  server.openFor('bob')
  for (const listing of [server.as('bob').listing, stores.get('bob')?.load()?.listing])
    expect(listing).toMatchObject({
      tools: [{ name: 'ann' }],
      resources: [],
      resourceTemplates: [],
      prompts: [],
      skills: [],
      instructions: undefined,
    })
})

it('shares all that is listed without a person, whoever is listed after it', () => {
  const { server, lists } = aServer()
  lists(undefined, data('all'))
  lists('ann', data('ann'))
  const { tools, resources, resourceTemplates, prompts, skills } = server.as('bob').listing
  expect(tools.map(({ name }) => name)).toEqual(['all', 'ann'])
  expect([resources, resourceTemplates, prompts, skills]).toEqual([
    [{ uri: 'x:all' }],
    [{ uriTemplate: 'x:all/{n}' }],
    [{ name: 'all' }],
    [{ uri: 'skill://all' }],
  ])
})
