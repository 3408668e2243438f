import { expect, it } from 'vitest'
import { aListing, anUpstream } from '../../../test/support/a-call.ts'
import type { Listing, NotificationListener, Upstream } from '../../gateway/upstream.ts'
import type { ListingStore, StoredListing } from '../listing/listing-store.ts'
import { Personal } from './personal.ts'

/** A server that people sign in to; `lists` says what it lists for one of them, or for nobody. */
function aServer(
  disk = new Map<string | undefined, StoredListing>(),
  opened: (person: string | undefined) => Upstream = () => anUpstream(),
) {
  const stores = new Map<string | undefined, ListingStore>()
  const server = new Personal({
    name: 'a',
    kind: 'http',
    description: undefined,
    open: (person, store) => (stores.set(person, store), opened(person)),
    store: (person) => ({
      load: () => disk.get(person),
      save: (remembered) => void disk.set(person, remembered),
    }),
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
  const toolsOf = (person: string) => server.as(person).listing.tools.map(({ name }) => name)
  return { server, stores, lists, toolsOf, disk }
}

const data = (...names: string[]): Listing => ({
  ...aListing('a', names),
  resources: names.map((name) => ({ uri: `x:${name}` })),
  resourceTemplates: names.map((name) => ({ uriTemplate: `x:${name}/{n}` })),
  prompts: names.map((name) => ({ name })),
  skills: names.map((name) => ({ uri: `skill://${name}` })),
  instructions: names.join(),
})

const described = (description: string): Listing => {
  const listing = aListing('a', ['search'])
  return {
    ...listing,
    tools: listing.tools.map((tool) => ({ ...tool, definition: { name: 'search', description } })),
  }
}

it('shows nobody the tools that are listed for one person alone', () => {
  const { server, stores, lists, toolsOf } = aServer()
  lists('ann', data('all', 'ann'))
  server.openFor('bob')
  for (const listing of [server.as('bob').listing, stores.get('bob')?.load()?.listing])
    expect(listing).toMatchObject({
      tools: [],
      resources: [],
      prompts: [],
      instructions: undefined,
    })
  expect(toolsOf('ann')).toEqual(['all', 'ann'])
  expect(
    server.listing.tools.map(({ name }) => name),
    'the gateway itself names and finds them',
  ).toEqual(['all', 'ann'])
})

it('shares the tools that people have alike, and nothing else of theirs', () => {
  const { server, lists, toolsOf } = aServer()
  lists('ann', data('all', 'ann'))
  lists('bob', data('bob', 'all'))
  expect(server.as('eve').listing).toMatchObject({
    tools: [{ name: 'all' }],
    resources: [],
    resourceTemplates: [],
    prompts: [],
    skills: [],
    instructions: undefined,
  })
  expect([toolsOf('ann'), toolsOf('bob')]).toEqual([
    ['all', 'ann'],
    ['bob', 'all'],
  ])
  lists('joe', data('joe'))
  expect(toolsOf('eve')).toEqual([])
})

it('shares no tool that is described to each person in another way', () => {
  const { lists, toolsOf } = aServer()
  lists('ann', described('searches the files of Ann'))
  lists('bob', described('searches the files of Bob'))
  expect(toolsOf('eve')).toEqual([])
  lists('bob', described('searches the files of Ann'))
  expect(toolsOf('eve')).toEqual(['search'])
})

it('shares all that is listed without a person, whoever is listed after it', () => {
  const { server, lists } = aServer()
  lists(undefined, data('all'))
  lists('ann', data('ann'))
  const { tools, resources, resourceTemplates, prompts, skills } = server.as('bob').listing
  expect(tools.map(({ name }) => name)).toEqual(['all'])
  expect([resources, resourceTemplates, prompts, skills]).toEqual([
    [{ uri: 'x:all' }],
    [{ uriTemplate: 'x:all/{n}' }],
    [{ name: 'all' }],
    [{ uri: 'skill://all' }],
  ])
})

it('knows after a restart what each person had, and what they shared', () => {
  const before = aServer()
  before.lists('ann', data('all', 'ann'))
  before.lists('bob', data('all', 'bob'))
  const { server, toolsOf } = aServer(before.disk)
  expect(toolsOf('eve')).toEqual(['all'])
  expect(toolsOf('ann')).toEqual(['all', 'ann'])
  expect(toolsOf('eve'), 'one person says nothing about others').toEqual(['all'])
  expect(toolsOf('bob')).toEqual(['all', 'bob'])
  expect(server.as('ann').listing.resources).toEqual([{ uri: 'x:all' }, { uri: 'x:ann' }])
})

it('tells only its person what a connection says, and everybody what all share', () => {
  const say = new Map<string | undefined, NotificationListener>()
  const { server, lists } = aServer(new Map(), (person) =>
    anUpstream({ onNotification: (listener) => (say.set(person, listener), () => undefined) }),
  )
  const heard: string[] = []
  server.onNotification((method, _, audience) => {
    const who = ['ann', 'bob'].filter((person) => audience?.(person) ?? true)
    heard.push(`${method.replace('notifications/', '')} ${who.join()}`)
  })
  lists(undefined, data('all'))
  lists('ann', data('all', 'ann'))
  const [update, changed] = ['notifications/resources/updated', 'notifications/tools/list_changed']
  say.get('ann')?.(update, { uri: 'x:diary' })
  say.get('ann')?.(changed, {})
  say.get('ann')?.('notifications/message', { data: 'for nobody' })
  say.get(undefined)?.(update, { uri: 'x:all' })
  expect(heard.splice(0)).toEqual([
    'resources/updated ann',
    'tools/list_changed ann',
    'resources/updated ann,bob',
  ])
  lists('bob', data('all', 'ann'))
  expect(heard).toEqual(['tools/list_changed ann,bob'])
})
