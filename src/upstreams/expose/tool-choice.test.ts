import { expect, it } from 'vitest'
import { aCall } from '../../../test/support/a-call.ts'
import type { Listing, Upstream, UpstreamContext } from '../../gateway/upstream.ts'
import { createBroken } from '../broken.ts'
import { EMPTY_LISTING } from '../listing/listing.ts'
import { expose } from './expose.ts'

const NAMES = ['get_row', 'get_table', 'drop_table']

function aServer(): Upstream {
  const tools = NAMES.map((name) => ({ server: 'db', name, definition: { name }, readOnly: false }))
  const listing = { ...EMPTY_LISTING, tools }
  return {
    ...createBroken('db', undefined, ''),
    listing,
    list: async () => listing,
    listingFor: () => listing,
    request: async (method, params) => ({ method, params }),
  }
}

function names({ tools }: Pick<Listing, 'tools'>): string[] {
  return tools.map(({ name }) => name)
}

const { signal, client } = aCall()
const NOBODY: UpstreamContext = { signal, client, agent: undefined }

it.each([
  [{ only: ['get_*'] }, ['get_row', 'get_table']],
  [{ without: ['drop_table'] }, ['get_row', 'get_table']],
  [{ only: ['get_*'], without: ['*_table'] }, ['get_row']],
  [{}, NAMES],
])('with %o it offers %o', async (choice, offered) => {
  const server = expose(aServer(), { choices: [choice] })
  expect(names(server.listing)).toEqual(offered)
  expect(names(await server.list())).toEqual(offered)
  expect(names(server.listingFor?.(client) ?? { tools: [] })).toEqual(offered)
  // The catalogue compares listings by identity.
  expect(server.listing).toBe(server.listing)
  for (const name of NAMES) {
    const answer: unknown = await server
      .request('tools/call', { name }, NOBODY)
      .catch((error: unknown) => error)
    expect(answer).toMatchObject(
      offered.includes(name) ? { params: { name } } : { code: 'TOOL_NOT_FOUND' },
    )
  }
})

it('leaves every other request alone', async () => {
  const server = expose(aServer(), { choices: [{ only: [] }] })
  await expect(server.request('prompts/get', { name: 'get_row' }, NOBODY)).resolves.toMatchObject({
    method: 'prompts/get',
  })
})
