import { expect, it } from 'vitest'
import { aListing, anUpstream } from '../../../test/support/a-call.ts'
import { createCatalog } from '../catalog.ts'
import { KnownNames } from './known-names.ts'
import { mergeNames } from './merge-names.ts'
import { NO_NAMES } from './name-map.ts'

const server = (name: string, ...tools: string[]) =>
  anUpstream({ name, listing: aListing(name, tools) })

const ref = (on: string, name: string) => ({ server: on, name })

it('a bare name that was shown keeps its meaning beside a second server, and after its own has gone', () => {
  const names = new KnownNames()
  expect(createCatalog([server('a', 'x')], { names }).tools.nameOf(ref('a', 'x'))).toBe('x')
  const both = createCatalog([server('a', 'x'), server('b', 'x')], { names })
  expect(both.resolve('x')).toMatchObject({ server: 'a', tool: { server: 'a' } })
  expect(both.tools.nameOf(ref('b', 'x'))).toBe('b__x')
  const other = createCatalog([server('b', 'x')], { names })
  expect(other.tools.nameOf(ref('b', 'x'))).toBe('b__x')
  expect(other.resolve('x')).toEqual({ server: 'a', name: 'x', tool: undefined })
})

it('a name that nobody was shown is ambiguous, or free for whoever comes', () => {
  const names = new KnownNames()
  createCatalog([server('a', 'x')], { names }).resolve('x')
  const both = createCatalog([server('a', 'x'), server('b', 'x')], { names })
  expect(both.resolve('x')).toBeUndefined()
  expect(createCatalog([server('b', 'x')], { names }).tools.nameOf(ref('b', 'x'))).toBe('x')
})

it('a shared exposed name stays with the tool that it was shown for', () => {
  const names = new KnownNames()
  const pay = server('pay', 'bank__send')
  createCatalog([pay, server('b')], { names }).tools.nameOf(ref('pay', 'bank__send'))
  const both = createCatalog([server('pay__bank', 'send'), pay], { names })
  expect(both.resolve('pay__bank__send')).toMatchObject({ server: 'pay' })
  const alone = createCatalog([server('pay__bank', 'send'), server('b')], { names })
  const name = alone.tools.nameOf(ref('pay__bank', 'send'))
  expect(name).toMatch(/^pay__bank__send_[\da-f]{6}$/)
  expect(alone.resolve(name)).toMatchObject({ server: 'pay__bank', name: 'send' })
})

it('the names of a renamed server mean the same tools, over several renames', () => {
  const names = new KnownNames()
  const first = createCatalog([server('a', 'x'), server('z', 'x')], { names })
  first.tools.nameOf(ref('a', 'x'))
  names.renamed('a', 'b')
  names.renamed('b', 'c')
  const renamed = createCatalog([server('c', 'x'), server('z', 'x')], { names })
  expect(renamed.resolve('a__x')).toMatchObject({ server: 'c', tool: { server: 'c' } })
  expect(renamed.resolve('a.x')).toMatchObject({ server: 'c' })
  expect([renamed.current('a'), renamed.current('b')]).toEqual(['c', 'c'])
  expect(renamed.current('z')).toBe('z')
  // A server that is configured under the name is what the name means.
  const again = createCatalog([server('c', 'x'), server('a', 'x')], { names })
  expect(again.current('a')).toBe('a')
  expect(again.resolve('a__x')).toMatchObject({ server: 'c' })
})

it('what reads as a name of a server that was removed, or was called so, is no name of another server', () => {
  const names = new KnownNames()
  const map = mergeNames(NO_NAMES, { ...names.own(new Map([['bank', 'F']])), tools: [] })
  const servers = new Map([['evil', 'G']])
  names.learn(map, servers)
  const evil = server('evil', 'bank__send', 'other__send')
  const alone = createCatalog([evil], { names })
  expect(alone.tools.nameOf(ref('evil', 'other__send'))).toBe('other__send')
  expect(alone.tools.nameOf(ref('evil', 'bank__send'))).toBe('evil__bank__send')
  expect(alone.resolve('bank__send')).toEqual({ server: 'bank', name: 'send', tool: undefined })
  expect(alone.resolve('evil__bank__send')).toMatchObject({ server: 'evil', name: 'bank__send' })
  const beside = createCatalog([evil, server('b')], { names })
  expect(beside.resolve('bank__send')?.server).toBe('bank')
  expect(beside.resolve('other__send')?.server).toBe('evil')
  names.renamed('bank', 'b')
  expect(createCatalog([evil, server('b', 'send')], { names }).resolve('bank__send')).toMatchObject(
    {
      server: 'b',
      name: 'send',
    },
  )
})

it("names of the gateway's own tools are nobody else's", () => {
  const reserved = new Set(['find'])
  const catalog = createCatalog([server('a', 'find', 'a__find')], { reserved })
  const shown = ['find', 'a__find'].map((name) => catalog.tools.nameOf(ref('a', name)))
  expect(shown).not.toContain('find')
  expect(new Set(shown).size).toBe(2)
  expect(shown.map((name) => catalog.resolve(name)?.name)).toEqual(['find', 'a__find'])
})

it('what is learned counts at once, for a list that was made before', () => {
  const stored = new KnownNames()
  createCatalog([server('a', 'x')], { names: stored }).tools.nameOf(ref('a', 'x'))
  const map = mergeNames(NO_NAMES, stored.own(new Map([['a', 'F']])))
  const names = new KnownNames()
  const catalog = createCatalog([server('b', 'x', 'y')], { names })
  expect(catalog.resolve('x')).toMatchObject({ server: 'b' })
  names.learn(map, new Map([['b', 'G']]))
  expect(catalog.resolve('x')).toEqual({ server: 'a', name: 'x', tool: undefined })
  expect(catalog.tools.isFormer('x')).toBe(true)
  expect(['x', 'y'].map((name) => catalog.tools.nameOf(ref('b', name)))).toEqual(['b__x', 'y'])
  expect(catalog.tools.isFormer('y')).toBe(false)
})

it('a prompt of a server that was renamed is found by its old name, where it is listed', () => {
  const names = new KnownNames()
  const listing = { ...aListing('uno'), prompts: [{ name: 'greet' }] }
  names.learn(
    mergeNames(NO_NAMES, {
      ...names.own(new Map([['uno', 'F']])),
      renamed: new Map([['one', 'uno']]),
    }),
    new Map([['uno', 'F']]),
  )
  const catalog = createCatalog([anUpstream({ name: 'uno', listing }), server('b')], { names })
  expect(catalog.prompts.find('one__greet')).toEqual(ref('uno', 'greet'))
  expect(catalog.prompts.find('one__other')).toBeUndefined()
  expect(catalog.prompts.find('two__greet')).toBeUndefined()
})
