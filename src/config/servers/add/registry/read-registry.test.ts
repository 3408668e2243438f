import { expect, it } from 'vitest'
import { SNAPSHOT, aRegistry, published } from '../../../../../test/support/a-registry.ts'
import { tempFolder } from '../../../../../test/support/temp-folder.ts'
import { findInRegistries, searchRegistries } from './read-registry.ts'

const place = { cwd: '/', env: {} }
const namesIn = ({ hits }: Awaited<ReturnType<typeof searchRegistries>>) =>
  hits.map(({ server }) => server.name)

it('finds servers by all words of a search, although a registry searches names alone', async () => {
  const { url, asked } = await aRegistry()
  const registries = { registries: [url], place }
  expect(namesIn(await searchRegistries(['brave', 'search'], registries))).toEqual([
    'io.github.brave/brave-search-mcp-server',
  ])
  expect(asked).toHaveLength(2)
  const found = await searchRegistries(['airtable'], registries)
  expect(found.hits.map(({ server }) => server.version)).toEqual(['1.7.3'])
})

it('searches a snapshot by descriptions too, and shows the newest version once', async () => {
  const found = await searchRegistries(['database', 'airtable'], {
    registries: [SNAPSHOT],
    place,
  })
  expect(namesIn(found)[0]).toBe('io.github.domdomegg/airtable-mcp-server')
  expect(found.hits[0]?.server.version).toBe('1.7.3')
  expect(new Set(namesIn(found)).size).toBe(found.hits.length)
})

it('finds one server in its latest or in a named version', async () => {
  const { url } = await aRegistry()
  const name = 'io.github.domdomegg/airtable-mcp-server'
  for (const registry of [url, SNAPSHOT]) {
    const registries = { registries: [registry], place }
    expect((await findInRegistries(name, undefined, registries)).server.version).toBe('1.7.3')
    expect((await findInRegistries(name, '1.7.2', registries)).server.version).toBe('1.7.2')
    await expect(findInRegistries(name, '9.9.9', registries)).rejects.toThrow(
      `No registry has ${name}@9.9.9`,
    )
  }
})

it('asks the next registry for what the first one does not have, but not for one that is down', async () => {
  const [brave] = published().filter(({ name }) => name.includes('brave'))
  const first = await aRegistry([])
  const second = await aRegistry(brave ? [brave] : [])
  const name = 'io.github.brave/brave-search-mcp-server'
  const hit = await findInRegistries(name, undefined, {
    registries: [first.url, second.url],
    place,
  })
  expect(hit.registry).toBe(second.url)
  const down = 'http://127.0.0.1:9'
  const registries = { registries: [down, second.url], place }
  // The one that is down may have another server of this name.
  await expect(findInRegistries(name, undefined, registries)).rejects.toThrow(down)
  const searched = await searchRegistries(['brave'], registries)
  expect(namesIn(searched)).toEqual([name])
  expect(searched.problems).toEqual([expect.stringContaining(down)])
})

it('says what to do without a network', async () => {
  const registries = { registries: ['http://127.0.0.1:9'], place }
  await expect(searchRegistries(['x'], registries)).rejects.toMatchObject({
    details: { hint: expect.stringContaining('downloaded answer') },
  })
  await expect(searchRegistries(['x'], { registries: [], place })).rejects.toThrow(
    'No registry is set',
  )
})

it('leaves out entries of another form, deleted ones, and answers for another name', async () => {
  const folder = tempFolder()
  const good = { name: 'a.b/good', version: '1.0.0', description: 'A good\u001B[2J one' }
  const file = folder.write('servers.json', [good, null, 5, { name: 'no slash', version: '1' }, {}])
  const { hits } = await searchRegistries(['good', 'no'], { registries: [file], place })
  expect(hits.map(({ server }) => server.description)).toEqual(['A good[2J one'])

  const { url } = await aRegistry([
    { name: 'a.b/gone', version: '1.0.0', status: 'deleted' },
    { name: 'a.b/old', version: '1.0.0', status: 'deprecated' },
  ])
  const registries = { registries: [url], place }
  expect(namesIn(await searchRegistries(['gone', 'old'], registries))).toEqual(['a.b/old'])
  await expect(findInRegistries('a.b/gone', undefined, registries)).rejects.toThrow('No registry')
})
