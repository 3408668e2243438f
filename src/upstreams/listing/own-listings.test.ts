import { expect, it } from 'vitest'
import { aLink } from '../../../test/support/a-link.ts'
import { aServer, inSession } from '../../../test/support/a-supervised.ts'
import type { Listing } from '../../gateway/upstream.ts'

const names = ({ tools }: Listing) => tools.map(({ name }) => name)

it('belongs to the session for which the server has changed it', async () => {
  const offered = [['a', 'b'], ['a'], ['a', 'b', 'c']]
  const { server, opened, saved, ask } = aServer(
    (_, count) => {
      const tools = offered[count]?.map((name) => ({ name }))
      return aLink({}, { 'tools/list': () => ({ tools }) })
    },
    { session: 'per-session' },
  )
  const told: string[] = []
  server.onNotification((method) => void told.push(method))
  await server.list()
  for (const session of ['x', 'y']) await ask('tools/call', inSession(session))
  for (const { events } of opened.slice(1))
    events.notification('notifications/tools/list_changed', {}, undefined)
  await expect.poll(() => told).toHaveLength(3)
  const seenBy = (session: string) => names(server.listingFor(inSession(session).client))
  expect(['x', 'y', 'z'].map(seenBy)).toEqual([['a'], ['a', 'b', 'c'], ['a', 'b']])
  expect(names(server.listing)).toEqual(['a', 'b'])
  expect(saved.map(({ listing }) => names(listing).length)).not.toContain(1)
  expect(names(await server.list({ client: inSession('y').client }))).toEqual(['a', 'b', 'c'])
  server.sessionChanged('x', 'ended')
  expect(seenBy('x')).toEqual(['a', 'b'])
})
