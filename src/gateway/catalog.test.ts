import { describe, expect, it } from 'vitest'
import { aListing, anUpstream } from '../../test/support/a-call.ts'
import { createCatalog } from './catalog.ts'

const server = (name: string, ...tools: string[]) =>
  anUpstream({ name, listing: aListing(name, tools) })

const withPrompt = (name: string, prompt: string) =>
  anUpstream({ name, listing: { ...aListing(name), prompts: [{ name: prompt }] } })

describe('createCatalog', () => {
  it('finds a tool by its server, and under its exposed name', () => {
    const catalog = createCatalog([server('a', 'x', 'y'), server('b', 'x')])
    expect(catalog.tool('b', 'x')).toMatchObject({ server: 'b', name: 'x' })
    expect(catalog.tool('b', 'y')).toBeUndefined()
    expect(catalog.tools.nameOf({ server: 'b', name: 'x' })).toBe('b__x')
    expect(catalog.resolve('b__x')?.tool).toBe(catalog.tool('b', 'x'))
    expect(catalog.resolve('x')?.tool).toBeUndefined()
  })

  it('never lists two tools under one name, nor lets a new server take a name over', () => {
    const alone = createCatalog([server('pay', 'bank__send'), server('b', 'x')])
    expect(alone.resolve('pay__bank__send')?.tool).toMatchObject({ server: 'pay' })
    const both = createCatalog([server('pay__bank', 'send'), server('pay', 'bank__send')])
    const refs = both.servers.flatMap(({ listing }) => listing.tools)
    const names = refs.map((ref) => both.tools.nameOf(ref))
    expect(new Set(names).size).toBe(2)
    expect(names.map((name) => both.resolve(name)?.tool)).toEqual(refs)
    expect(both.resolve('pay__bank__send')).toBeUndefined()
    expect(both.resolve('pay.bank__send')?.tool).toMatchObject({ server: 'pay' })
  })

  it('keeps the names of prompts apart as well', () => {
    const { prompts } = createCatalog([withPrompt('a', 'b__c'), withPrompt('a__b', 'c')])
    const first = prompts.nameOf({ server: 'a', name: 'b__c' })
    const second = prompts.nameOf({ server: 'a__b', name: 'c' })
    expect(first).not.toBe(second)
    expect(prompts.find(second)).toEqual({ server: 'a__b', name: 'c' })
  })

  it('takes a bare name while one server only has such a tool', () => {
    const [a, b, c] = [server('a', 'x', 'y'), server('b', 'z'), server('c', 'x')]
    expect(createCatalog([a, b]).resolve('x')?.tool).toMatchObject({ server: 'a' })
    expect(createCatalog([a, b, c]).resolve('x')).toBeUndefined()
    expect(createCatalog([a, b, c]).resolve('y')?.tool).toMatchObject({ server: 'a' })
  })

  it('knows which server a name points to before that server was listed', () => {
    const catalog = createCatalog([server('a', 'x'), server('a.b'), server('c')])
    expect(catalog.resolve('c__new')).toEqual({ server: 'c', name: 'new', tool: undefined })
    expect(catalog.resolve('a.b.new')).toEqual({ server: 'a.b', name: 'new', tool: undefined })
    expect(catalog.resolve('d__new')).toBeUndefined()
    expect(catalog.resolve('new')).toBeUndefined()
  })

  it('leaves names bare with one server, and still knows the long ones', () => {
    const catalog = createCatalog([server('only', 'x')])
    expect(catalog.tools.nameOf({ server: 'only', name: 'x' })).toBe('x')
    expect(catalog.resolve('x')?.tool).toMatchObject({ name: 'x' })
    expect(catalog.resolve('only__x')?.tool).toMatchObject({ name: 'x' })
  })

  it('makes every name short and plain, and none of them twice', () => {
    const long = 'a_tool_with_a_name_that_goes_on_and_on_and_on_until_nobody_reads_it'
    const names = [`${long}_1`, `${long}_2`, 'with space', 'with.space', 'with/space', 'ünï']
    const catalog = createCatalog([server('my server', ...names), server('b')])
    const exposed = names.map((name) => catalog.tools.nameOf({ server: 'my server', name }))
    for (const name of exposed) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(new Set(exposed).size).toBe(names.length)
    exposed.forEach((name, n) => expect(catalog.resolve(name)?.tool?.name).toBe(names[n]))
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
    expect(catalog.resolve('a__old')?.tool).toBeDefined()
    listing = aListing('a', ['new'])
    expect(catalog.resolve('a__old')?.tool).toBeUndefined()
    expect(catalog.resolve('a__new')?.tool).toBeDefined()
    expect(catalog.tool('a', 'new')).toBeDefined()
  })
})
