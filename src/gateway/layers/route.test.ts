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

  it('writes into the event what it found, and nothing where it found nothing', async () => {
    const servers = [known('a', 'x')]
    const whole = await routed(servers, { kind: 'server', server: 'a' })
    expect(whole.event).toMatchObject({ server: 'a' })
    expect(whole.event).not.toHaveProperty('tool')
    const nowhere = await routed(servers, { kind: 'exposed', name: 'q' })
    expect(nowhere.event).not.toHaveProperty('server')
  })

  it('asks nobody, and passes on what it could not find', async () => {
    const silent = anUpstream({ name: 'a', list: async () => expect.unreachable() })
    const lost = await routed([silent], { kind: 'tool', server: 'a', tool: 'x' })
    expect(lost).toMatchObject({ server: 'a', toolName: 'x', tool: undefined })
    const nowhere = await routed([silent], { kind: 'tool', server: 'z', tool: 'x' })
    expect(nowhere).toMatchObject({ server: 'z', upstream: undefined })
    expect(await routed([silent], { kind: 'exposed', name: 'q' })).toMatchObject({
      server: undefined,
      toolName: 'q',
    })
  })

  it('follows a name to its server before that server has listed the tool', async () => {
    const silent = anUpstream({ name: 'a', list: async () => expect.unreachable() })
    expect(
      await routed([silent, known('b', 'x')], { kind: 'exposed', name: 'a__new' }),
    ).toMatchObject({ server: 'a', toolName: 'new', upstream: { name: 'a' }, tool: undefined })
  })
})
