import { encode } from 'gpt-tokenizer'
import { describe, expect, it } from 'vitest'
import type { Session } from '../support/clients/session.ts'
import { call, textOf, toolNames } from '../support/clients/talk.ts'
import { openStdio } from '../support/clients/wires.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { openGateway } from '../support/open-gateway.ts'
import { startHttpUpstream, stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The best of several tries: other work on the machine only ever makes it slower. */
async function bestMs(times: number, work: () => Promise<unknown>): Promise<number> {
  let best = Infinity
  for (let n = 0; n < times; n += 1) {
    const begun = performance.now()
    await work()
    best = Math.min(best, performance.now() - begun)
  }
  return best
}

const big = (client: Session, bytes: number) => async () => {
  expect(textOf(await call(client, 'big', { bytes }))).toHaveLength(bytes)
}

const serversOf = (names: readonly string[]) => [
  ...new Set(names.map((name) => name.split('__')[0])),
]

describe('a huge result', () => {
  it.each([10_000_000, 12_000_000])(
    'of %i bytes costs the gateway little time, over HTTP and stdio',
    async (bytes) => {
      const direct = await openStdio('legacy', stdioUpstream())
      const ownMs = await bestMs(3, big(direct, bytes))
      await direct.close()

      const gateway = await openGateway({ servers: { one: stdioUpstream() } })
      const throughHttp = await bestMs(3, big(await gateway.connect(), bytes))

      const folder = tempFolder()
      folder.write('.mcp.json', { mcpServers: { one: stdioUpstream() } })
      const client = await openStdio('legacy', {
        command: process.execPath,
        args: [MAIN, '--surface', 'direct'],
        cwd: folder.path,
        env: gatewayEnv(folder),
      })
      const throughStdio = await bestMs(3, big(client, bytes))
      await client.close()
      expect(throughHttp - ownMs).toBeLessThan(9000)
      expect(throughStdio - ownMs).toBeLessThan(9000)
    },
  )

  it('beyond the limit fails its own call only', async () => {
    const settings = { upstreams: { maxFrameBytes: 1_000_000 } }
    const gateway = await openGateway({ servers: { one: stdioUpstream() }, settings })
    const client = await gateway.connect()
    const slow = call(client, 'slow', { ms: 500 })
    const failed = await call(client, 'big', { bytes: 3_000_000 })
    expect(failed).toMatchObject({ isError: true })
    expect(textOf(failed)).toContain('over the limit of 1000000 bytes')
    expect(textOf(await slow)).toBe('slept 500 ms')
    expect(textOf(await call(client, 'echo', { text: 'fine' }))).toBe('fine')
  })
})

it('lists 10 servers of 200 tools quickly and always in the same order', async () => {
  const servers = Object.fromEntries(
    Array.from({ length: 10 }, (_, n) => [`server${n}`, stdioUpstream('--tools', '200')]),
  )
  const { connect } = await openGateway({ servers })
  const client = await connect()
  let names: string[] = []
  await expect
    .poll(async () => (names = await toolNames(client)).length)
    .toBeGreaterThanOrEqual(2000)
  expect(new Set(names).size).toBe(names.length)
  expect(serversOf(names)).toEqual(Object.keys(servers))
  for (let n = 0; n < 4; n += 1) expect(await toolNames(client)).toEqual(names)
  expect(await bestMs(5, async () => toolNames(client))).toBeLessThan(5000)

  const discover = await connect({ query: 'surface=discover' })
  const { tools } = await discover.request('tools/list')
  expect(tools).toHaveLength(6)
  expect(encode(JSON.stringify(tools)).length).toBeLessThan(1500)
})

it('answers 64 callers at once, each with what it asked for', async () => {
  const far = await startHttpUpstream('--era', 'both')
  const { connect } = await openGateway({
    servers: { near: stdioUpstream(), far: { url: far.url } },
  })
  const clients = await Promise.all(
    Array.from({ length: 64 }, async (_, n) => connect({ era: n % 2 === 0 ? 'legacy' : 'modern' })),
  )
  const wrong = await Promise.all(
    clients.map(async (client, n) => {
      let bad = 0
      for (let round = 0; round < 10; round += 1) {
        const text = `caller ${n}, round ${round}`
        const name = (n + round) % 3 === 0 ? 'far__echo' : 'near__echo'
        if (textOf(await call(client, name, { text })) !== text) bad += 1
      }
      return bad
    }),
  )
  await far.close()
  expect(wrong.filter((bad) => bad > 0)).toEqual([])
})

it('does not let many slow calls of one agent hold up another', async () => {
  const { connect } = await openGateway({
    servers: { one: { ...stdioUpstream(), max_concurrency: 2 } },
  })
  const greedy = await connect({ headers: { 'x-agent-id': 'greedy' } })
  const modest = await connect({ headers: { 'x-agent-id': 'modest' } })
  await call(modest, 'echo')
  const flood = Promise.all(
    Array.from({ length: 20 }, async () => call(greedy, 'slow', { ms: 400, steps: 1 })),
  )
  const begun = performance.now()
  for (let n = 0; n < 3; n += 1) await call(modest, 'echo', { text: 'quick' })
  const waited = performance.now() - begun
  await flood
  const whole = performance.now() - begun
  expect(whole).toBeGreaterThan(3500)
  expect(waited).toBeLessThan(whole / 2)
})
