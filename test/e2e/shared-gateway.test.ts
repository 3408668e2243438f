import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { isRunning } from '../../src/local/alone.ts'
import { call, callUntilProgress, refusal, structured, textOf } from '../support/clients/talk.ts'
import { type SharedHome, sharedHome } from '../support/shared-home.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const startsIn = (file: string) => readFileSync(file, 'utf8').trim().split('\n').length

/** A home whose one server notes each of its starts in a file. */
function aHome(settings?: object) {
  const starts = tempFolder().file('starts')
  const home = sharedHome({ one: stdioUpstream('--starts', starts) }, settings)
  return { home, starts: () => startsIn(starts) }
}

const statusShape = z.object({
  gateway: z
    .object({
      pid: z.number(),
      kind: z.string(),
      clients: z.array(z.object({ name: z.string(), folder: z.string() })),
    })
    .optional(),
  alone: z.array(z.object({ pid: z.number(), reason: z.string() })),
})

async function statusOf(home: SharedHome) {
  const { stdout } = await home.run('status', '--json')
  return statusShape.parse(JSON.parse(stdout))
}

function fill(disk: string): void {
  const chunk = Buffer.alloc(4096)
  try {
    for (;;) appendFileSync(join(disk, 'filler'), chunk)
  } catch {
    // Full.
  }
}

const saidBy = async (client: Parameters<typeof call>[0]) =>
  call(client, 'echo', { text: 'again' }).then(textOf, () => '')

describe('clients of one person', () => {
  it('share a gateway and its servers, whatever era they speak, each under its own name', async () => {
    const { home, starts } = aHome()
    const first = await home.open()
    const second = await home.open()
    const modern = await home.open({ era: 'modern' })
    for (const client of [first, second, modern])
      expect(textOf(await call(client, 'echo', { text: 'hello' }))).toBe('hello')
    const { gateway, alone } = await statusOf(home)
    expect(gateway).toMatchObject({ kind: 'background' })
    expect(gateway?.clients.map(({ name }) => name)).toEqual(['suite', 'suite', 'suite'])
    expect(alone).toEqual([])
    // The modern client has a connection of its era; the two others share one.
    expect(starts()).toBeLessThanOrEqual(2)
  })

  it('that start in the same moment start one gateway', async () => {
    const { home, starts } = aHome()
    const clients = await Promise.all(Array.from({ length: 10 }, async () => home.open()))
    for (const client of clients) await call(client, 'echo', { text: 'hello' })
    expect((await statusOf(home)).gateway?.clients).toHaveLength(10)
    expect(starts()).toBe(1)
  })

  it('work in their own folders, and a gateway of another data folder is another one', async () => {
    const { home } = aHome()
    const other = aHome().home
    home.write('shop/README.md', '')
    await home.open()
    await home.open({ folder: home.file('shop') })
    await other.open()
    const { gateway } = await statusOf(home)
    expect(gateway?.clients.map(({ folder }) => folder)).toEqual([
      home.file('work'),
      home.file('shop'),
    ])
    expect(await other.gateway()).not.toBe(gateway?.pid)
  })

  it('leave a gateway that ends by itself once none is there', async () => {
    const { home } = aHome({ shared: { idleMs: 200 } })
    const client = await home.open()
    const pid = await home.gateway()
    expect(pid).toBeDefined()
    await client.close()
    await expect.poll(() => isRunning(pid ?? 0)).toBe(false)
    expect(await home.gateway()).toBeUndefined()
    expect(home.read('data/gateway.log')).toContain('no client has been there for a while')
  })
})

describe('a gateway that ends', () => {
  it('by kill -9 during a call costs that call alone, and is started again', async () => {
    const { home } = aHome()
    const client = await home.open()
    const other = await home.open({ era: 'modern' })
    await client.subscribe(['test://one'])
    await other.subscribe([])
    const { result } = await callUntilProgress(client, 'slow', { ms: 8_000 })
    const lost = refusal(result)
    const pid = await home.gateway()
    process.kill(pid ?? 0, 'SIGKILL')
    expect(await lost).toMatchObject({
      code: -32_001,
      data: { code: 'SERVER_UNAVAILABLE', retryable: true },
    })
    for (const each of [client, other]) await expect.poll(async () => saidBy(each)).toBe('again')
    expect(await home.gateway()).not.toBe(pid)
    await call(client, 'touch', { uri: 'test://one' })
    await expect
      .poll(() => client.heard.map(({ method }) => method))
      .toContain('notifications/resources/updated')
  })

  it('by `portolan stop` lets calls in flight end, and starts again with the next request', async () => {
    const { home } = aHome()
    const client = await home.open()
    const { result } = await callUntilProgress(client, 'slow', { ms: 1000 })
    const stopping = home.run('stop')
    expect(textOf(await result)).not.toBe('')
    expect(await stopping).toMatchObject({ code: 0 })
    expect(await home.gateway()).toBeUndefined()
    expect(textOf(await call(client, 'echo', { text: 'again' }))).toBe('again')
    expect(await home.gateway()).toBeDefined()
  })

  it('again and again is replaced by one in the process of the client', async () => {
    const { home } = aHome()
    const client = await home.open()
    for (let time = 0; time < 3; time++) {
      await expect.poll(async () => home.gateway()).toBeDefined()
      process.kill((await home.gateway()) ?? 0, 'SIGKILL')
      // The bridge may not know yet that it is gone.
      await expect.poll(async () => saidBy(client)).toBe('again')
    }
    expect((await statusOf(home)).alone).toMatchObject([
      { reason: 'the gateway ended three times within a minute' },
    ])
  })
})

describe('a client that cannot join has a gateway of its own, and it is said why:', () => {
  it.each([
    ['with --alone', { args: ['--alone'] }, '--alone was given'],
    ['by a variable', { env: { PORTOLAN_ALONE: '1' } }, 'PORTOLAN_ALONE is set'],
    ['with other files', { args: ['--mcp', 'other.json'] }, 'names its files'],
    ['with --debug', { args: ['--debug'] }, '--debug applies'],
    ['by a setting', { env: { PORTOLAN_SHARED_ENABLED: 'false' } }, 'shared.enabled is false'],
    ['with other variables', { env: { PORTOLAN_CACHE_MAX_BYTES: '1000' } }, 'CACHE_MAX_BYTES'],
  ])('%s', async (_, options, reason) => {
    const { home } = aHome()
    home.write('work/other.json', { mcpServers: { one: stdioUpstream() } })
    await home.open()
    const client = await home.open(options)
    expect(textOf(await call(client, 'echo', { text: 'hello' }))).toBe('hello')
    const { gateway, alone } = await statusOf(home)
    expect(gateway?.clients).toHaveLength(1)
    expect(alone).toMatchObject([{ reason: expect.stringContaining(reason) }])
    await client.close()
    expect((await statusOf(home)).alone).toEqual([])
  })

  it('where others may write to the folder of the socket', async () => {
    const { home } = aHome()
    home.write('data/run/x', '')
    chmodSync(home.file('data/run'), 0o777)
    const client = await home.open()
    expect(textOf(await call(client, 'echo', { text: 'hello' }))).toBe('hello')
    expect(structured(await call(client, 'echo', { text: 'hello' }))).toBeDefined()
    expect((await home.run('doctor')).stdout).toContain(`chmod 700 ${home.file('data/run')}`)
  })

  it.each([
    ['full', fill],
    [
      'read-only',
      (disk: string) => void spawnSync('mount', ['-o', 'remount,ro', disk], { stdio: 'inherit' }),
    ],
  ])('where the disk is %s', async (_, spoil) => {
    const folder = tempFolder()
    const disk = folder.file('data')
    mkdirSync(disk)
    // Only root may mount.
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200k', 'tmpfs', disk]).status !== 0) return
    onTestFinished(() => void spawnSync('umount', ['--lazy', disk]))
    const home = sharedHome({ one: stdioUpstream() }, undefined, folder)
    spoil(disk)
    const client = await home.open()
    expect(textOf(await call(client, 'echo', { text: 'hello' }))).toBe('hello')
    expect(await home.gateway()).toBeUndefined()
  })
})
