import { expect, it } from 'vitest'
import { aListing, anUpstream } from '../../../test/support/a-call.ts'
import { createCatalog } from '../catalog.ts'
import { KnownNames } from './known-names.ts'

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

it("names of the gateway's own tools are nobody else's", () => {
  const reserved = new Set(['find'])
  const catalog = createCatalog([server('a', 'find', 'a__find')], { reserved })
  const shown = ['find', 'a__find'].map((name) => catalog.tools.nameOf(ref('a', name)))
  expect(shown).not.toContain('find')
  expect(new Set(shown).size).toBe(2)
  expect(shown.map((name) => catalog.resolve(name)?.name)).toEqual(['find', 'a__find'])
})
