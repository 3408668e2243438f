import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, callUntilProgress, textOf, valueOf } from '../support/clients/talk.ts'
import { openOfficialClients } from '../support/clients/official-clients.ts'
import { openGateway } from '../support/open-gateway.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'

/** How long the laptop sleeps: longer than every request of this story may take. */
const SLEEP_MS = 4_000

const updatesOf = ({ heard }: RawClient) =>
  heard.filter(({ method }) => method === 'notifications/resources/updated').length

const pidOf = async (client: RawClient) =>
  Number(valueOf(await call(client, 'near__whoami'))['pid'])

it('a laptop that sleeps: calls, streams and subscriptions go on where they were', async () => {
  const far = await startHttpUpstream()
  onTestFinished(async () => far.close())
  const gateway = await openGateway({
    servers: { near: { ...stdioUpstream(), session: 'shared' }, far: { url: far.url } },
    settings: { deadlines: { callMs: 3_000 } },
  })
  const clients = [await gateway.connect(), await gateway.connect({ era: 'modern' })]
  for (const client of clients) await client.subscribe(['test://far+text'])
  const { v1, modern } = await openOfficialClients(`${gateway.url}/mcp?surface=direct`)
  const [first] = clients
  if (!first) throw new Error('no client')
  const server = await pidOf(first)

  const underWay = await Promise.all(
    clients.flatMap((client) =>
      ['near__slow', 'far__slow'].map(async (name) =>
        callUntilProgress(client, name, { ms: 1_000, steps: 10 }),
      ),
    ),
  )
  const asleep = [gateway.child.pid ?? 0, server, far.child.pid ?? 0]
  for (const pid of asleep) process.kill(pid, 'SIGSTOP')
  onTestFinished(() => void process.kill(server, 'SIGCONT'))
  await sleep(SLEEP_MS)
  for (const pid of asleep) process.kill(pid, 'SIGCONT')
  for (const { result } of underWay) expect(textOf(await result)).toBe('slept 1000 ms')

  for (const client of clients) {
    expect(textOf(await call(client, 'near__echo', { text: 'awake' }))).toContain('awake')
    expect(textOf(await call(client, 'far__echo', { text: 'awake' }))).toContain('awake')
  }
  for (const client of [v1, modern]) {
    const answer = await client.callTool({ name: 'near__echo', arguments: { text: 'awake' } })
    expect(JSON.stringify(answer)).toContain('awake')
  }
  const before = clients.map(updatesOf)
  await call(first, 'far__touch')
  for (const [at, client] of clients.entries())
    await expect.poll(() => updatesOf(client)).toBeGreaterThan(before[at] ?? 0)
  expect(await pidOf(first), 'nothing was restarted').toBe(server)
})
