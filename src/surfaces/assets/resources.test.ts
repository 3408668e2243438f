import { describe, expect, it } from 'vitest'
import { aListing, anUpstream } from '../../../test/support/a-call.ts'
import { runWithin } from '../../base/flow/run-within.ts'
import type { Agent } from '../../gateway/call.ts'
import { createCatalog } from '../../gateway/catalog.ts'
import { createPolicy } from '../../gateway/agents/policy.ts'
import { expose } from '../../upstreams/expose/expose.ts'
import { findResource } from './resources.ts'

const server = (name: string, uris: string[], templates: string[] = []) =>
  expose(
    anUpstream({
      name,
      listing: {
        ...aListing(name),
        capabilities: { resources: {} },
        resources: uris.map((uri) => ({ uri })),
        resourceTemplates: templates.map((uriTemplate) => ({ uriTemplate })),
      },
    }),
  )

const agent: Agent = { id: 'ada', proof: 'key' }

function find(uri: unknown, servers: ReturnType<typeof server>[], deny: string[] = []) {
  const policy = createPolicy({
    agents: { ada: { allow: { servers: ['*'] }, deny: { servers: deny } } },
    denyOnMissingAgent: true,
  })
  const found = findResource(uri, agent, { catalog: createCatalog(servers), policy })
  return { server: found.server.name, uri: found.uri }
}

function ownerOf(uri: unknown, servers: ReturnType<typeof server>[], deny: string[] = []) {
  return find(uri, servers, deny).server
}

function hasOwner(uri: string, servers: ReturnType<typeof server>[]): boolean {
  try {
    return ownerOf(uri, servers) === 'a'
  } catch {
    return false
  }
}

describe('the server of a resource', () => {
  it('is the one in its URI, whoever else has the same', () => {
    const servers = [server('a', ['ui://map']), server('b', ['ui://map', 'ui://a+map'])]
    expect(find('ui://a+map', servers)).toEqual({ server: 'a', uri: 'ui://a+map' })
    expect(find('ui://b+map', servers)).toEqual({ server: 'b', uri: 'ui://b+map' })
    expect(find('ui://b+a+map', servers)).toEqual({ server: 'b', uri: 'ui://b+a+map' })
    // Listed or not: servers need not list their pages.
    expect(find('ui://a+other', servers)).toEqual({ server: 'a', uri: 'ui://a+other' })
  })

  it('is the one in its URI, or none where that one may not be used', () => {
    const servers = [server('a', ['ui://b+map']), server('b', ['ui://map'])]
    expect(() => find('ui://b+map', servers, ['b'])).toThrow('not found')
    // A name that is of no server is a part of the URI.
    expect(find('ui://c+map', [server('a', ['ui://c+map'])])).toEqual({
      server: 'a',
      uri: 'ui://a+c+map',
    })
  })

  it('is the one that offers the plain URI, and none once another offers it too', () => {
    const a = server('a', ['x://1'])
    const b = server('b', ['x://2'])
    expect(find('x://1', [a, b])).toEqual({ server: 'a', uri: 'x://a+1' })
    expect(find('x://2', [a, b])).toEqual({ server: 'b', uri: 'x://b+2' })
    for (const second of [server('c', ['x://1']), server('c', [], ['x://{id}'])]) {
      expect(() => find('x://1', [a, b, second])).toThrow('x://a+1, x://c+1')
      expect(find('x://1', [a, b, second], ['c'])).toEqual({ server: 'a', uri: 'x://a+1' })
    }
  })

  it.each([
    ['file:///{+path}', 'file:///a/b/c', true],
    ['file:///{path}', 'file:///a/b/c', false],
    ['x://s{?q,limit}', 'x://s?q=1&limit=2', true],
    ['x://s{?q,limit}', 'x://s', true],
    ['x://s{/a,b}', 'x://s/1/2', true],
    ['x://s{/a,b}', 'x://s?q', false],
    ['x://s{?q}{#part}', 'x://s?q=1#top', true],
    ['x://s{?q}', 'x://s?q=1#top', false],
    ['x://{a}/{b}', 'x://1/2', true],
    ['x://{a}/{b}', 'x://1', false],
    ['x://a.b/{id}', 'x://aXb/1', false],
    ['x://a{b', 'x://a{b', true],
  ])('%s is a template for %s: %s', (template, uri, fits) => {
    const servers = [server('a', [], [template]), server('b', [])]
    expect(hasOwner(uri, servers)).toBe(fits)
  })

  it.each([
    ['two', 'x://{+a}-{+b}.md', 1_200_000],
    ['four', 'x://{+a}-{+b}-{+c}-{+d}.md', 700],
    ['four, and a long URI', 'x://{+a}-{+b}-{+c}-{+d}.md', 100_000],
  ])('is found by a template with %s expressions that take everything', (_, template, length) => {
    const servers = [server('a', [], [template]), server('b', [])]
    const uri = `x://${'-'.repeat(length)}`
    expect(runWithin(5000, () => hasOwner(`${uri}.txt`, servers))).toBe(false)
    expect(runWithin(5000, () => hasOwner(`${uri}.md`, servers))).toBe(true)
    // Contains all that the template does, but not at the end.
    expect(runWithin(5000, () => hasOwner(`${uri}.md.`, servers))).toBe(false)
  })

  it('is the only one with resources, when nobody lists it', () => {
    expect(ownerOf('x://9', [server('a', []), anUpstream({ name: 'b' })])).toBe('a')
  })

  it('is never one that the agent may not use', () => {
    const servers = [server('a', ['x://1']), server('b', ['x://2'])]
    expect(() => ownerOf('x://1', [...servers, server('c', [])], ['a'])).toThrow('not found')
    expect(() => ownerOf(7, servers)).toThrow('"uri" must be a string')
  })
})
