import { describe, expect, it } from 'vitest'
import { aListing, anUpstream } from '../../test/support/a-call.ts'
import { createCatalog } from './catalog.ts'

const server = (name: string, ...tools: string[]) =>
  anUpstream({ name, listing: aListing(name, tools) })

describe('createCatalog', () => {
  it('finds a tool by its server, and under its exposed name', () => {
    const catalog = createCatalog([server('a', 'x', 'y'), server('b', 'x')])
    expect(catalog.tool('b', 'x')).toMatchObject({ server: 'b', name: 'x' })
    expect(catalog.tool('b', 'y')).toBeUndefined()
    expect(catalog.expose('b', 'x')).toBe('b__x')
    expect(catalog.exposed('b__x')).toBe(catalog.tool('b', 'x'))
    expect(catalog.exposed('x')).toBeUndefined()
  })

  it('leaves names bare with one server, and still knows the long ones', () => {
    const catalog = createCatalog([server('only', 'x')])
    expect(catalog.expose('only', 'x')).toBe('x')
    expect(catalog.exposed('x')).toMatchObject({ name: 'x' })
    expect(catalog.exposed('only__x')).toMatchObject({ name: 'x' })
  })

  it('makes every name short and plain, and none of them twice', () => {
    const long = 'a_tool_with_a_name_that_goes_on_and_on_and_on_until_nobody_reads_it'
    const names = [`${long}_1`, `${long}_2`, 'with space', 'with.space', 'with/space', 'ünï']
    const catalog = createCatalog([server('my server', ...names), server('b')])
    const exposed = names.map((name) => catalog.expose('my server', name))
    for (const name of exposed) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(new Set(exposed).size).toBe(names.length)
    exposed.forEach((name, n) => expect(catalog.exposed(name)?.name).toBe(names[n]))
  })

  it('sees a listing that was replaced', () => {
    let listing = aListing('a', ['old'])
    const a = {
      ...anUpstream({ name: 'a' }),
      get listing() {
        return listing
      },
    }
    const catalog = createCatalog([a, server('b')])
    expect(catalog.exposed('a__old')).toBeDefined()
    listing = aListing('a', ['new'])
    expect(catalog.exposed('a__old')).toBeUndefined()
    expect(catalog.exposed('a__new')).toBeDefined()
    expect(catalog.tool('a', 'new')).toBeDefined()
  })
})
