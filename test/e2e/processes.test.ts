import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { Session } from '../support/clients/session.ts'
import { call, callUntilProgress, structured, toolNames } from '../support/clients/talk.ts'
import { openStdio } from '../support/clients/wires.ts'
import { MAIN, gatewayEnv } from '../support/gateway.ts'
import { openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A server process and a process of its own: neither may outlive the gateway. */
async function family(client: Session, prefix = ''): Promise<number[]> {
  const server = structured(await call(client, `${prefix}whoami`))['pid']
  const child = structured(await call(client, `${prefix}spawn_child`))['pid']
  return [Number(server), Number(child)]
}

function living(pids: readonly number[]): number[] {
  return pids.filter((pid) => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  })
}

const STUBBORN = ['--ignore-sigterm', '--ignore-stdin-end']

describe('no process is left behind', () => {
  it.each([
    ['of a server that ends when asked', []],
    ['of a server that ignores every hint', STUBBORN],
  ])('%s, when the gateway is stopped', async (_, flags) => {
    const { connect, close } = await openGateway({ servers: { one: stdioUpstream(...flags) } })
    const pids = await family(await connect())
    expect(living(pids)).toEqual(pids)
    await close()
    await expect.poll(() => living(pids)).toEqual([])
  })

  it('when the gateway is killed and can do nothing about it', async () => {
    const { connect, child } = await openGateway({ servers: { one: stdioUpstream(...STUBBORN) } })
    const pids = await family(await connect())
    child.kill('SIGKILL')
    await once(child, 'exit')
    await expect.poll(() => living(pids)).toEqual([])
  })

  it('when the client of a stdio gateway goes away', async () => {
    const folder = tempFolder()
    folder.write('.mcp.json', { mcpServers: { one: stdioUpstream() } })
    const args = [MAIN, '--surface', 'direct']
    const env = gatewayEnv(folder)
    const options = { command: process.execPath, args, cwd: folder.path, env }
    const client = await openStdio('legacy', options)
    const pids = await family(client)
    await client.close()
    await expect.poll(() => living(pids)).toEqual([])
  })

  it('when the server crashes but its own child does not', async () => {
    const { connect } = await openGateway({ servers: { one: stdioUpstream() } })
    const client = await connect()
    const pids = await family(client)
    await call(client, 'crash')
    await expect.poll(() => living(pids)).toEqual([])
  })

  it('when a session with a connection of its own ends', async () => {
    const { connect } = await openGateway({
      servers: { one: { ...stdioUpstream(), session: 'per-session' } },
    })
    const [first, second] = [await connect(), await connect()]
    const [mine, yours] = [await family(first), await family(second)]
    expect(new Set([...mine, ...yours]).size).toBe(4)
    await first.close()
    await expect.poll(() => living(mine)).toEqual([])
    expect(living(yours)).toEqual(yours)
  })

  it('of a server that never finishes its handshake', async () => {
    const { connect, folder, close } = await openGateway({
      servers: { stuck: { command: '/bin/sh', args: ['-c', 'echo $$ >> pids; exec sleep 600'] } },
      settings: { deadlines: { connectMs: 300 } },
    })
    // It is asked for its tools, and tried again from then on.
    await toolNames(await connect())
    const pids = () => folder.read('pids').split('\n').filter(Boolean).map(Number)
    await expect.poll(() => pids().length).toBeGreaterThan(2)
    const first = pids().slice(0, 1)
    await expect.poll(() => living(first)).toEqual([])
    await close()
    await expect.poll(() => living(pids())).toEqual([])
  })
})

it('removes a server without ending the call that runs on it', async () => {
  const { connect, folder } = await openGateway({
    servers: { leaving: stdioUpstream(), staying: stdioUpstream() },
  })
  const client = await connect()
  const pids = await family(client, 'leaving__')
  const kept = await family(client, 'staying__')
  const running = await callUntilProgress(client, 'leaving__slow', { ms: 1500, steps: 30 })
  folder.write('.mcp.json', { mcpServers: { staying: stdioUpstream() } })
  expect(await running.result).toMatchObject({ content: [{ text: 'slept 1500 ms' }] })
  await expect.poll(() => living(pids)).toEqual([])
  expect(living(kept)).toEqual(kept)
})

it('ends a server that nobody uses, and starts it again for the next call', async () => {
  const { connect } = await openGateway({
    servers: { one: stdioUpstream() },
    settings: { upstreams: { idleMs: 300 } },
  })
  const client = await connect()
  const pid = Number(structured(await call(client, 'whoami'))['pid'])
  await expect.poll(() => living([pid])).toEqual([])
  const next = Number(structured(await call(client, 'whoami'))['pid'])
  expect(living([next])).toEqual([next])
})
