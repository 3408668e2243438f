import { describe, expect, it } from 'vitest'
import { upstreamsOf } from '../support/children-of.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, execute, structured, textOf, valueOf } from '../support/clients/talk.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

const SESSIONS = 30
const MOST = 3

async function pidOf(client: RawClient): Promise<number> {
  return Number(structured(await call(client, 'whoami'))['pid'])
}

async function pidFor(client: RawClient, agent: string): Promise<number> {
  const params = { server: 'one', tool: 'whoami', args: {}, agent_id: agent }
  return Number(structured(await call(client, 'execute_tool', params))['pid'])
}

/** Has the server ask a client something, as it does from then on. */
async function askOnce({ connect }: Opened): Promise<void> {
  const client = await connect()
  await call(client, 'ask_elicitation')
}

/** The most upstreams that were seen at once while `work` ran. */
async function mostUpstreams(gateway: Opened, work: () => Promise<unknown>): Promise<number> {
  let most = 0
  const look = () => (most = Math.max(most, upstreamsOf(gateway).length))
  const timer = setInterval(look, 100)
  await work().finally(() => clearInterval(timer))
  look()
  return most
}

describe('after a server has asked its client something', () => {
  it('many sessions that can be asked get a bounded number of processes', async () => {
    const gateway = await openGateway({
      servers: { one: { ...stdioUpstream(), max_connections: MOST } },
    })
    await askOnce(gateway)
    const pids = new Set<number>()
    const most = await mostUpstreams(gateway, async () => {
      for (let n = 0; n < SESSIONS; n += 1) pids.add(await pidOf(await gateway.connect()))
    })
    // Beside the shared one; a process that was told to end may still be seen for a moment.
    expect(most).toBeLessThanOrEqual(1 + MOST + 2)
    expect(pids.size).toBeGreaterThan(MOST)
  })

  it('sessions that cannot be asked share one process', async () => {
    const gateway = await openGateway({ servers: { one: stdioUpstream() } })
    await askOnce(gateway)
    const pids = new Set<number>()
    for (let n = 0; n < 5; n += 1) pids.add(await pidOf(await gateway.connect({ mute: true })))
    expect(pids.size).toBe(1)
    expect(pids).not.toContain(await pidOf(await gateway.connect()))
  })

  it('a session stays with the process of its first call', async () => {
    const gateway = await openGateway({ servers: { one: stdioUpstream() } })
    const [first, late] = [await gateway.connect(), await gateway.connect()]
    const pid = await pidOf(first)
    await call(first, 'ask_roots')
    expect(await pidOf(first)).toBe(pid)
    expect(structured(await call(first, 'whoami'))).toMatchObject({ pid, callsOnConnection: 4 })
    expect(await pidOf(late)).not.toBe(pid)
  })

  it('clients without sessions use the same few processes again', async () => {
    const gateway = await openGateway({ servers: { one: stdioUpstream() } })
    await askOnce(gateway)
    const clients = await Promise.all(
      Array.from({ length: 4 }, async () => gateway.connect({ era: 'modern' })),
    )
    const pids = new Set<number>()
    await Promise.all(
      clients.map(async (client) => {
        for (let n = 0; n < 12; n += 1) pids.add(await pidOf(client))
      }),
    )
    expect(pids.size).toBeLessThanOrEqual(clients.length)
  })
})

describe('a server with "session"', () => {
  it.each(['legacy', 'modern'] as const)(
    '"per-agent" has a process for each agent of one %s connection',
    async (era) => {
      const one = { ...stdioUpstream(), session: 'per-agent' }
      const gateway = await openGateway({ servers: { one } })
      const client = await gateway.connect({ era, query: '' })
      const [ada, bob] = [await pidFor(client, 'ada'), await pidFor(client, 'bob')]
      expect(bob).not.toBe(ada)
      expect(await pidFor(client, 'ada')).toBe(ada)
      expect(await pidFor(client, 'bob')).toBe(bob)
    },
  )

  it('"shared" has one process for all agents', async () => {
    const gateway = await openGateway({
      servers: { one: { ...stdioUpstream(), session: 'shared' } },
    })
    const client = await gateway.connect({ query: '' })
    expect(await pidFor(client, 'ada')).toBe(await pidFor(client, 'bob'))
  })

  it('"per-call" has a process for each call, which ends with it', async () => {
    const one = { ...stdioUpstream(), session: 'per-call' }
    const gateway = await openGateway({ servers: { one } })
    const client = await gateway.connect()
    const pids = [await pidOf(client), await pidOf(client), await pidOf(client)]
    expect(new Set(pids).size).toBe(3)
    const alive = () =>
      upstreamsOf(gateway).filter((line) => pids.includes(Number.parseInt(line, 10)))
    await expect.poll(alive).toEqual([])
  })
})

describe('a session with a process of its own', () => {
  const own = { servers: { one: { ...stdioUpstream(), session: 'per-session' } } }
  const settings = { upstreams: { releaseMs: 400 } }

  it('gives it back when its client has gone, and gets another when it returns', async () => {
    const gateway = await openGateway({ ...own, settings })
    const [gone, listening] = [await gateway.connect({ deaf: true }), await gateway.connect()]
    const [before, kept] = [await pidOf(gone), await pidOf(listening)]
    const alive = () => upstreamsOf(gateway).map((line) => Number.parseInt(line, 10))
    await expect.poll(alive).not.toContain(before)
    expect(alive()).toContain(kept)
    expect(await pidOf(gone)).not.toBe(before)
    expect(await pidOf(listening)).toBe(kept)
  })

  it('gets an error that names the setting to raise when all are busy', async () => {
    const one = { ...stdioUpstream(), session: 'per-session', max_connections: 1 }
    const gateway = await openGateway({
      servers: { one },
      settings: { deadlines: { connectMs: 1500 } },
    })
    const [busy, waiting] = [await gateway.connect(), await gateway.connect()]
    await pidOf(busy)
    const slow = call(busy, 'slow', { ms: 5000 })
    const refused = await call(waiting, 'echo', { text: 'now' })
    expect(textOf(refused)).toContain('max_connections')
    await slow
    expect(textOf(await call(waiting, 'echo', { text: 'later' }))).toBe('later')
  })
})

it('the status and the metrics show the number of connections', async () => {
  const one = { ...stdioUpstream(), session: 'per-session' }
  const gateway = await openGateway({ servers: { one, two: stdioUpstream() } })
  const clients = [await gateway.connect({ query: '' }), await gateway.connect({ query: '' })]
  for (const client of clients) await execute(client, 'one', 'echo')
  const [asking] = clients
  const { servers } = asking ? valueOf(await call(asking, 'get_gateway_status')) : {}
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
  const counts = /portolan_upstream_connections\{server="one"\} (\d+)/.exec(metrics)
  expect(Number(counts?.[1])).toBeGreaterThanOrEqual(2)
  expect(servers).toContainEqual(
    expect.objectContaining({ name: 'one', connections: Number(counts?.[1]) }),
  )
})
