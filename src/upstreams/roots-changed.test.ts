import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aClient } from '../../test/support/a-call.ts'
import { aLink } from '../../test/support/a-link.ts'
import { TOOLS, aServer, inSession, settled } from '../../test/support/a-supervised.ts'
import { Canceller } from '../base/flow/signal.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a change of the roots of a client', () => {
  it('is told to the servers on connections of its own, not on those of others', async () => {
    const told: string[] = []
    const { server, ask } = aServer(
      (_, count) => aLink({ notify: (method) => void told.push(`${count} ${method}`) }, TOOLS),
      { session: 'per-session' },
    )
    await server.list()
    await ask('tools/call', inSession('x'))
    await ask('tools/call', inSession('y'))
    await settled()
    server.sessionChanged('y', 'roots_changed')
    expect(told).toEqual(['2 notifications/roots/list_changed'])
  })

  it('gives a client a connection of its own to a server that asks, because a shared one cannot ask it', async () => {
    const { server, opened, ask } = aServer(() => aLink({}, TOOLS), { session: 'auto' })
    const client = aClient({ session: 'x', era: 'legacy', capabilities: { roots: {} } })
    await ask('tools/call', { client })
    const question = { signal: new Canceller(), origin: async () => client }
    await opened[0]?.events.request('roots/list', {}, question)
    await ask('tools/call', { client })
    expect(opened).toHaveLength(1)
    server.sessionChanged('x', 'roots_changed')
    await ask('tools/call', { client })
    expect(opened).toHaveLength(2)
  })

  it('is not told to a modern server, whose era has no such message', async () => {
    const { server, ask } = aServer(
      () => aLink({ era: 'modern', notify: () => expect.unreachable() }, TOOLS),
      { session: 'per-session' },
    )
    await ask('tools/call', inSession('x'))
    server.sessionChanged('x', 'roots_changed')
  })
})
