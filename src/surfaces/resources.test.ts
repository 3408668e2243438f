import { describe, expect, it } from 'vitest'
import { aListing, anUpstream } from '../../test/support/a-call.ts'
import { runWithin } from '../base/run-within.ts'
import type { Agent } from '../gateway/call.ts'
import { createCatalog } from '../gateway/catalog.ts'
import { createPolicy } from '../gateway/policy.ts'
import { serverOfResource } from './resources.ts'

const server = (name: string, uris: string[], templates: string[] = []) =>
  anUpstream({
    name,
    listing: {
      ...aListing(name),
      capabilities: { resources: {} },
      resources: uris.map((uri) => ({ uri })),
      resourceTemplates: templates.map((uriTemplate) => ({ uriTemplate })),
    },
  })

const agent: Agent = { id: 'ada', proof: 'key' }

function ownerOf(uri: unknown, servers: ReturnType<typeof server>[], deny: string[] = []) {
  const policy = createPolicy({
    agents: { ada: { allow: { servers: ['*'] }, deny: { servers: deny } } },
    denyOnMissingAgent: true,
  })
  return serverOfResource(uri, agent, { catalog: createCatalog(servers), policy }).name
}

function hasOwner(uri: string, servers: ReturnType<typeof server>[]): boolean {
  try {
    return ownerOf(uri, servers) === 'a'
  } catch {
    return false
  }
}

describe('the server of a resource', () => {
  it('is the one that lists it, before one with a template for it', () => {
    const servers = [server('a', [], ['x://{id}']), server('b', ['x://1'])]
    expect(ownerOf('x://1', servers)).toBe('b')
    expect(ownerOf('x://2', servers)).toBe('a')
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
