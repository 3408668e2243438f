import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aListing } from '../../../test/support/a-call.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { createListingStore } from './listing-store.ts'

const listing = {
  ...aListing('pg', ['query']),
  prompts: [{ name: 'p' }],
  capabilities: { tools: {} },
  serverInfo: { name: 'PG' },
}

const eras = { modern: false, legacy: 'stateless' } as const

describe('createListingStore', () => {
  it('remembers a server over a restart, for its owner only', () => {
    const { path } = tempFolder()
    createListingStore(path, 'pg', { url: 'x' }).save({ listing, asksClients: true, eras })
    expect(createListingStore(path, 'pg', { url: 'x' }).load()).toEqual({
      listing: { ...listing, isRemembered: true },
      asksClients: true,
      eras,
    })
    const [file = ''] = readdirSync(path)
    expect(statSync(join(path, file)).mode & 0o777).toBe(0o600)
  })

  it('forgets it when its configuration has changed', () => {
    const { path } = tempFolder()
    createListingStore(path, 'pg', { url: 'x' }).save({ listing, asksClients: false, eras })
    expect(createListingStore(path, 'pg', { url: 'y' }).load()).toBeUndefined()
    expect(createListingStore(path, 'other', { url: 'x' }).load()).toBeUndefined()
  })

  it.each(['', '{"version":1', '[]', '{"version":99}'])('ignores damage: %j', (content) => {
    const { path } = tempFolder()
    const store = createListingStore(path, 'pg', {})
    store.save({ listing, asksClients: false, eras })
    const [file = ''] = readdirSync(path)
    writeFileSync(join(path, file), content)
    expect(store.load()).toBeUndefined()
  })

  it('does without where it cannot write', () => {
    const folder = tempFolder()
    const blocked = folder.write('a-file', '')
    const store = createListingStore(join(blocked, 'below'), 'pg', {})
    expect(() => store.save({ listing, asksClients: false, eras })).not.toThrow()
    expect(store.load()).toBeUndefined()
  })
})

/** What is loaded where the file says so of a server that is remembered otherwise. */
function loadedWith(change: (saved: Record<string, unknown>) => object) {
  const { path } = tempFolder()
  const store = createListingStore(path, 'pg', {})
  store.save({ listing: { ...listing, instructions: 'how' }, asksClients: false, eras })
  const [file = ''] = readdirSync(path)
  const saved: unknown = JSON.parse(readFileSync(join(path, file), 'utf8'))
  writeFileSync(join(path, file), JSON.stringify(change({ ...Object(saved) })))
  return store.load()
}

describe('a file that says something else than expected', () => {
  it('is taken for what it says rightly', () => {
    expect(loadedWith((saved) => saved)?.listing).toMatchObject({ instructions: 'how' })
    expect(loadedWith((saved) => ({ ...saved, asksClients: 'yes' }))?.asksClients).toBeUndefined()
    expect(loadedWith((saved) => ({ ...saved, eras: 'all' }))?.eras).toEqual({})
    const odd = { modern: 'yes', legacy: 'perhaps' }
    expect(loadedWith((saved) => ({ ...saved, eras: odd }))?.eras).toEqual({})
    const good = { modern: true, legacy: false }
    expect(loadedWith((saved) => ({ ...saved, eras: good }))?.eras).toEqual(good)
  })

  it('lists nothing that has not the right form', () => {
    expect(loadedWith((saved) => ({ ...saved, listing: 7 }))?.listing).toMatchObject({ tools: [] })
    const odd = {
      tools: [{ name: 'query' }, 'nonsense', null],
      prompts: { name: 'p' },
      skills: [{ uri: 'skill://a' }, 1],
      capabilities: [],
      instructions: 7,
      serverInfo: 'PG',
    }
    expect(loadedWith((saved) => ({ ...saved, listing: odd }))?.listing).toEqual({
      isRemembered: true,
      tools: [{ server: 'pg', name: 'query', definition: { name: 'query' }, readOnly: false }],
      resources: [],
      resourceTemplates: [],
      prompts: [],
      skills: [{ uri: 'skill://a' }],
      capabilities: {},
      instructions: undefined,
      serverInfo: undefined,
    })
  })
})
