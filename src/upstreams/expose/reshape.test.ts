import { expect, it } from 'vitest'
import type { ServerOverrides } from '../../gateway/tools/overrides.ts'
import type { Listing } from '../../gateway/upstream.ts'
import { EMPTY_LISTING } from '../listing/listing.ts'
import { createReshaping } from './reshape.ts'

const inputSchema = {
  type: 'object',
  properties: { owner: { type: 'string' }, page: { type: 'integer' } },
  required: ['owner'],
  anyOf: [{ required: ['owner'] }],
}

function reshape(tools: ServerOverrides['tools'], names = ['search', 'delete_all', 'delete_one']) {
  const listing: Listing = {
    ...EMPTY_LISTING,
    tools: names.map((name) => ({
      server: 'hub',
      name,
      readOnly: false,
      definition: { name, inputSchema },
    })),
  }
  const { tools: shown, leftOut = [] } = createReshaping({ overrides: { tools } }).toListing(
    listing,
  )
  return {
    names: shown.map(({ definition }) => definition['name']),
    search: shown.find(({ name }) => name === 'search'),
    leftOut: leftOut.map(({ at, reason }) => `${at}: ${reason}`),
  }
}

it('what is said of a name comes before what a pattern says', () => {
  const said = { delete_one: { hidden: false }, 'delete_*': { hidden: true } }
  expect(reshape(said).names).toEqual(['search', 'delete_one'])
})

it('a parameter has another name, a default, or is never shown', () => {
  const { search } = reshape({
    search: {
      parameters: {
        owner: { name: 'team', default: 'acme', schema: { enum: ['acme', 'other'] } },
        page: { fixed: 1 },
      },
    },
  })
  expect(search?.definition['inputSchema']).toEqual({
    type: 'object',
    properties: { team: { type: 'string', default: 'acme', enum: ['acme', 'other'] } },
    required: [],
  })
  expect(search?.shape).toMatchObject({
    ownNames: { team: 'owner' },
    hidden: ['page'],
    defaults: { owner: 'acme' },
    fixed: { page: 1 },
    isPersonal: false,
    schema: inputSchema,
  })
})

it('what relates parameters to each other stays where they keep their names', () => {
  const { search } = reshape({ search: { parameters: { page: { description: 'From 1' } } } })
  expect(search?.definition['inputSchema']).toMatchObject({ anyOf: inputSchema.anyOf })
})

it.each([
  [
    { search: { parameters: { owner: { hidden: true } } } },
    'tools.search.parameters.owner: "owner" is required, so it cannot be hidden without a "fixed" or "default" value',
  ],
  [
    { search: { parameters: { ownr: { fixed: 'acme' } } } },
    `tools.search.parameters.ownr: the tool has no parameter "ownr". Did you mean 'owner'?`,
  ],
  [
    { search: { parameters: { page: { name: 'owner' } } } },
    'tools.search.parameters.page.name: two parameters would have the name "owner"',
  ],
  [
    { delete_all: { name: 'search' } },
    'tools.search: "delete_all" has its name; give one of them another',
  ],
  [{ search: { mistake: 'it must be an object' } }, 'tools.search: it must be an object'],
])('a tool whose override is wrong is left out: %j', (said, reason) => {
  const { search, leftOut, names } = reshape(said)
  expect(leftOut).toEqual([reason])
  expect(search).toBeUndefined()
  expect(names).toContain('delete_one')
})

it('a hidden parameter needs no value where its default is sent, or nothing requires it', () => {
  const parameters = { owner: { hidden: true, default: 'acme' }, page: { hidden: true } }
  expect(reshape({ search: { parameters } }).leftOut).toEqual([])
})

it('a pattern may speak of parameters that only some tools have', () => {
  const said = { '*': { parameters: { tenant: { fixed: 'acme' } } } }
  expect(reshape(said).names).toEqual(['search', 'delete_all', 'delete_one'])
})

it('what is said of tools that the server does not have is reported, once it has listed any', () => {
  const said = { serch: { hidden: true }, 'drop_*': { hidden: true } }
  expect(reshape(said).leftOut).toEqual([
    `tools.serch: the server has no tool of this name. Did you mean 'search'?`,
    'tools.drop_*: the pattern matches no tool of the server',
  ])
  expect(reshape(said, []).leftOut).toEqual([])
})

it('two tools may change names', () => {
  const said = { search: { name: 'delete_all' }, delete_all: { name: 'search' } }
  const { names, leftOut } = reshape(said)
  expect([names, leftOut]).toEqual([['delete_all', 'search', 'delete_one'], []])
})

it('what a changed entry hides is hidden, and nothing else of it counts', () => {
  const changedOverrides = { tools: { 'delete_*': { hidden: true }, search: { name: 'find' } } }
  const { isOffered, names } = createReshaping({ changedOverrides })
  expect(['search', 'delete_all'].map(isOffered)).toEqual([true, false])
  expect(names).toBeUndefined()
})
