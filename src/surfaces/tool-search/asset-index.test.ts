import { describe, expect, it } from 'vitest'
import { aListing, anUpstream } from '../../../test/support/a-call.ts'
import { type Catalog, createCatalog } from '../../gateway/catalog.ts'
import type { Listing } from '../../gateway/upstream.ts'
import { APP_PAGE } from '../../protocol/extensions.ts'
import { AssetIndex } from './asset-index.ts'

const docs: Listing = {
  ...aListing('docs'),
  resources: [
    { uri: 'doc://docs+handbook', name: 'handbook', description: 'How new colleagues start' },
    { uri: 'ui://docs+page', name: 'handbook page', mimeType: APP_PAGE },
    ...Array.from({ length: 9 }, (_, n) => ({
      uri: `doc://docs+log/${n}`,
      name: `release log ${n}`,
    })),
  ],
  resourceTemplates: [
    { uriTemplate: 'doc://docs+city/{name}', name: 'city', description: 'Facts about a city' },
  ],
  prompts: [
    {
      name: 'review',
      description: 'Reviews a pull request',
      arguments: [{ name: 'url', required: true }, { name: 'tone' }],
    },
  ],
}
const other: Listing = { ...docs, resourceTemplates: [], prompts: [] }

function indexOf(catalog: Catalog): AssetIndex {
  const index = new AssetIndex()
  index.update(catalog)
  return index
}

const catalog = createCatalog([
  anUpstream({ name: 'docs', listing: docs }),
  anUpstream({ name: 'other', listing: other }),
])
const all = { limit: 3, accept: () => true }

describe('resources and prompts', () => {
  it('are found by what they are, with the call that reads them', () => {
    const index = indexOf(catalog)
    const only = { limit: 3, accept: (server: string) => server === 'docs' }
    expect(index.search(['how do new colleagues start'], only)).toEqual([
      {
        kind: 'resource',
        server: 'docs',
        call: 'resources/read(uri: "doc://docs+handbook")',
        about: 'How new colleagues start',
      },
    ])
    expect(index.search(['review a pull request'], only)).toEqual([
      {
        kind: 'prompt',
        server: 'docs',
        call: 'prompts/get(name: "review", arguments: {url, tone?})',
        about: 'Reviews a pull request',
      },
    ])
    expect(index.search(['facts about a city'], only)).toMatchObject([
      { kind: 'template', call: 'resources/read(uri: "doc://docs+city/{name}")' },
    ])
  })

  it('are few, each request in its turn, and none for what has nothing to do with them', () => {
    const index = indexOf(catalog)
    expect(index.search(['release log'], all)).toHaveLength(3)
    const kinds = index.search(['release log', 'review a pull request'], all)
    expect(kinds.map(({ kind }) => kind)).toContain('prompt')
    expect(index.search(['send an e-mail to the bank'], all)).toEqual([])
  })

  it('are those of servers that the agent may use, and no pages for hosts', () => {
    const index = indexOf(catalog)
    expect(index.search(['handbook'], all).map(({ server }) => server)).toEqual(['docs', 'other'])
    expect(index.search(['handbook'], { limit: 3, accept: () => false })).toEqual([])
  })

  it('change with the listing of their server', () => {
    const index = indexOf(catalog)
    index.update(createCatalog([anUpstream({ name: 'other', listing: other })]))
    expect(index.search(['review a pull request'], all)).toEqual([])
    expect(index.search(['handbook'], all).map(({ server }) => server)).toEqual(['other'])
  })
})
