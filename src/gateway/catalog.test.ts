import { describe, expect, it } from 'vitest'
import { aListing, anUpstream } from '../../test/support/a-call.ts'
import { createCatalog } from './catalog.ts'
import { ToolHistory } from './names/tool-history.ts'

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

  it('names two tools whose plain names would be the same apart, whichever server came first', () => {
    const both = createCatalog([server('pay__bank', 'send'), server('pay', 'bank__send')])
    const refs = both.servers.flatMap(({ listing }) => listing.tools)
    const names = refs.map((ref) => both.tools.nameOf(ref))
    expect(names).toEqual([
      expect.stringMatching(/^pay__bank__send_[\da-f]{6}$/),
      'pay__bank__send',
    ])
    expect(names.map((name) => both.resolve(name)?.tool)).toEqual(refs)
    expect(both.resolve('pay.bank__send')?.tool).toMatchObject({ server: 'pay' })
    for (const one of refs) {
      const catalog = createCatalog([server(one.server, one.name), server('b')])
      expect(catalog.tools.nameOf(one)).toBe(both.tools.nameOf(one))
    }
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

  it('does not send a name of a server that is not listed yet to a tool of another server', () => {
    const evil = server('evil', 'bank__send', 'bank.send')
    const catalog = createCatalog([evil, server('bank')])
    for (const name of ['bank__send', 'bank.send'])
      expect(catalog.resolve(name)).toEqual({ server: 'bank', name: 'send', tool: undefined })
    expect(catalog.resolve('evil__bank__send')?.tool).toMatchObject({ server: 'evil' })
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
    for (const name of exposed) expect(name).toMatch(/^[A-Za-z0-9_-]{1,49}$/)
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
    const spaced = { server: 'a', name: 'with space' }
    const name = createCatalog([server('a', 'with space'), server('b')]).tools.nameOf(spaced)
    expect(catalog.resolve(name)?.tool).toBeUndefined()
    listing = aListing('a', ['with space'])
    expect(catalog.resolve(name)?.tool).toMatchObject(spaced)
    listing = aListing('a', ['new'])
    expect(catalog.vanished(spaced)).toBeDefined()
  })

  it('shows a tool under its own name only where nothing else is called so', () => {
    const both = createCatalog([server('a', 'x', 'y'), server('b', 'x')], {
      reserved: new Set(['find_tools', 'y']),
    })
    expect(both.ownNameOf({ server: 'a', name: 'x' })).toBe('a__x')
    expect(both.ownNameOf({ server: 'a', name: 'y' }), 'a name of ours').toBe('a__y')
    const apart = createCatalog([server('a', 'x', 'y'), server('b', 'z')])
    expect(apart.ownNameOf({ server: 'a', name: 'x' })).toBe('x')
    expect(apart.ownNameOf({ server: 'b', name: 'x' }), 'that one is of a').toBe('b__x')
  })

  it('gives no bare name that is one of ours, also with one server', () => {
    const reserved = new Set(['find_tools'])
    const only = server('only', 'find_tools', 'only__find_tools', 'x')
    const catalog = createCatalog([only], { reserved })
    const shown = only.listing.tools.map((ref) => catalog.tools.nameOf(ref))
    expect(shown).toEqual(['only__find_tools', 'only__only__find_tools', 'x'])
    expect(shown.map((name) => catalog.resolve(name)?.tool)).toEqual(only.listing.tools)
  })

  it('gives no bare name that reads as one of a server that was removed', () => {
    const history = new ToolHistory()
    createCatalog([server('bank', 'send'), server('b')], { history })
    const evil = server('evil', 'bank__send', 'other__send')
    const alone = createCatalog([evil], { history })
    const shown = evil.listing.tools.map((ref) => alone.tools.nameOf(ref))
    expect(shown).toEqual(['evil__bank__send', 'other__send'])
    for (const catalog of [alone, createCatalog([evil, server('b')], { history })])
      expect(catalog.resolve('bank__send')).toEqual({
        server: 'bank',
        name: 'send',
        tool: undefined,
      })
    expect(alone.mayBeBare('bank__send')).toBe(false)
  })

  it('names what only one person has, and what is in no listing, by the same rules', () => {
    const unlisted = { server: 'a', name: 'mine' }
    const options = { reserved: new Set(['ours']) }
    expect(createCatalog([server('a', 'x')], options).tools.nameOf(unlisted)).toBe('mine')
    const ours = createCatalog([server('a', 'x')], options).tools
    expect(ours.nameOf({ server: 'a', name: 'ours' })).toBe('a__ours')
    const several = createCatalog([server('a', 'x'), server('b')])
    expect(several.tools.nameOf(unlisted)).toBe('a__mine')
    expect(several.resolve('a__mine')).toEqual({ ...unlisted, tool: undefined })
    const odd = { server: 'a', name: 'for me' }
    expect(several.resolve(several.tools.nameOf(odd))).toEqual({ ...odd, tool: undefined })
  })

  it('prefers what is listed to what a name could also point to', () => {
    const catalog = createCatalog([server('a', 'b.c'), server('a.b', 'd')])
    expect(catalog.resolve('a.b.c')).toMatchObject({ server: 'a', name: 'b.c' })
    expect(catalog.resolve('a.b.d')).toMatchObject({ server: 'a.b', name: 'd' })
    expect(catalog.tool('nobody', 'd')).toBeUndefined()
    expect(catalog.server('a.b')?.name).toBe('a.b')
  })
})
