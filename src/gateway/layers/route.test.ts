import { describe, expect, it } from 'vitest'
import { aCall, aListing, anUpstream } from '../../../test/support/a-call.ts'
import type { Address, Routed } from '../call.ts'
import { createCatalog } from '../catalog.ts'
import type { Upstream } from '../upstream.ts'
import { route } from './route.ts'

async function routed(servers: readonly Upstream[], address: Address): Promise<Routed> {
  let seen: Routed | undefined
  const handler = route(createCatalog(servers))(async (call) => {
    seen = call
    return {}
  })
  await handler(aCall({ address }))
  if (!seen) throw new Error('it went nowhere')
  return seen
}

/** A server that tells what it offers only when it is asked. */
function stranger(name: string, tools: readonly string[]) {
  let listing = aListing(name)
  let asked = 0
  const upstream: Upstream = {
    ...anUpstream({ name }),
    get listing() {
      return listing
    },
    async live() {
      asked += 1
      listing = { ...aListing(name, tools), serverInfo: { name } }
      return listing
    },
  }
  return { upstream, asked: () => asked }
}

const known = (name: string, ...tools: string[]) =>
  anUpstream({ name, listing: { ...aListing(name, tools), serverInfo: { name } } })

describe('route', () => {
  it('finds a tool by server and name, by exposed name, or only its server', async () => {
    const servers = [known('a', 'x'), known('b', 'x')]
    const byName = await routed(servers, { kind: 'tool', server: 'b', tool: 'x' })
    expect(byName).toMatchObject({ server: 'b', toolName: 'x', upstream: { name: 'b' } })
    expect(byName.event).toMatchObject({ server: 'b', tool: 'x' })
    expect(await routed(servers, { kind: 'exposed', name: 'a__x' })).toMatchObject({
      server: 'a',
      tool: { server: 'a', name: 'x' },
    })
    const whole = await routed(servers, { kind: 'server', server: 'a' })
    expect(whole).toMatchObject({ server: 'a', toolName: undefined, tool: undefined })
  })

  it('asks a server for a tool it has not told of yet', async () => {
    const { upstream, asked } = stranger('a', ['x'])
    const found = await routed([upstream], { kind: 'tool', server: 'a', tool: 'x' })
    expect(found.tool).toMatchObject({ name: 'x' })
    await routed([upstream], { kind: 'tool', server: 'a', tool: 'x' })
    expect(asked()).toBe(1)
  })

  it('asks only strangers for an exposed name nobody knows', async () => {
    const { upstream, asked } = stranger('a', ['x'])
    const found = await routed([known('b', 'y'), upstream], { kind: 'exposed', name: 'a__x' })
    expect(found.tool).toMatchObject({ server: 'a' })
    expect(asked()).toBe(1)
  })

  it('passes on what it could not find, and why it could not be asked', async () => {
    const down = anUpstream({
      name: 'a',
      live: async () => Promise.reject(new Error('down')),
    })
    const lost = await routed([down], { kind: 'tool', server: 'a', tool: 'x' })
    expect(lost).toMatchObject({ server: 'a', toolName: 'x', tool: undefined })
    expect(lost.unreachable).toEqual(new Error('down'))
    const nowhere = await routed([down], { kind: 'tool', server: 'z', tool: 'x' })
    expect(nowhere).toMatchObject({ server: 'z', upstream: undefined })
    expect(await routed([down], { kind: 'exposed', name: 'q' })).toMatchObject({
      server: undefined,
      toolName: 'q',
    })
  })
})
