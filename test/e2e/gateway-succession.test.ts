import { spawn } from 'node:child_process'
import { cpSync, readFileSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { isRunning } from '../../src/local/alone.ts'
import { call, callUntilProgress, textOf, valueOf } from '../support/clients/talk.ts'
import { MAIN, untilListening } from '../support/gateway.ts'
import { type SharedHome, sharedHome } from '../support/shared-home.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const ROOT = join(import.meta.dirname, '../..')

const echo = async (client: Parameters<typeof call>[0]) =>
  textOf(await call(client, 'echo', { text: 'hello' }))

/** Installs this build as another version of the package; returns its entry point. */
function installVersion(version: string): string {
  const folder = tempFolder()
  cpSync(join(ROOT, 'dist'), folder.file('dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map'),
  })
  for (const name of ['node_modules', 'assets']) symlinkSync(join(ROOT, name), folder.file(name))
  const manifest: object = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  writeFileSync(folder.file('package.json'), JSON.stringify({ ...manifest, version }))
  return folder.file('dist/cli/main.js')
}

/** Starts `portolan serve` for the clients of a home. */
async function serve(home: SharedHome, args: readonly string[] = ['--port', '0']) {
  const child = spawn(process.execPath, [MAIN, 'serve', ...args], {
    cwd: home.file('work'),
    env: home.env,
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  const gateway = await untilListening(child)
  onTestFinished(gateway.close)
  return gateway
}

it('a newer version takes the place of an older one, whose calls in flight end as they would have', async () => {
  const home = sharedHome({ one: stdioUpstream() })
  const newer = installVersion('99.0.0')
  const old = await home.open()
  const { result } = await callUntilProgress(old, 'slow', { ms: 6_000 })
  const before = await home.gateway()
  const next = await home.open({ main: newer })
  expect(await echo(next)).toBe('hello')
  const after = await home.gateway()
  expect(after).not.toBe(before)
  // Its client is at the newer one already, where it calls something else meanwhile.
  expect(await echo(old)).toBe('hello')
  expect(isRunning(before ?? 0)).toBe(true)
  expect(textOf(await result)).not.toBe('')
  await expect.poll(() => isRunning(before ?? 0)).toBe(false)

  // An older version joins the newer one.
  const third = await home.open()
  expect(await echo(third)).toBe('hello')
  expect(await home.gateway()).toBe(after)
  expect(home.read('data/gateway.log')).toContain('version 99.0.0 takes its place')
})

it('`portolan serve` takes over the clients of a gateway in the background, and gives them back', async () => {
  const home = sharedHome({ one: stdioUpstream() })
  const client = await home.open()
  expect(await echo(client)).toBe('hello')
  const background = await home.gateway()
  const gateway = await serve(home)
  await expect.poll(async () => home.gateway()).toBe(gateway.child.pid)
  expect(await echo(client)).toBe('hello')
  await expect.poll(() => isRunning(background ?? 0)).toBe(false)
  expect((await home.run('status')).stdout).toMatch(/by `portolan serve`[^]*suite \(process/)

  await gateway.close()
  expect(await echo(client)).toBe('hello')
  expect(await home.gateway()).not.toBe(gateway.child.pid)
})

it('a second `portolan serve` takes another port and leaves the clients to the first', async () => {
  const home = sharedHome({ one: stdioUpstream() })
  const first = await serve(home)
  await expect.poll(async () => home.gateway()).toBe(first.child.pid)
  home.write('data/portolan.yaml', { listen: { port: Number(new URL(first.url).port) } })
  const second = await serve(home, [])
  expect(second.url).not.toBe(first.url)
  expect(second.log()).toContain('this one takes another port')
  await expect.poll(() => second.log()).toContain('clients over stdio stay with')
  const client = await home.open()
  expect(await echo(client)).toBe('hello')
  expect(await home.gateway()).toBe(first.child.pid)
})

it('clients with different values of a variable have servers of their own', async () => {
  const home = sharedHome({ one: { ...stdioUpstream(), env: { ACCOUNT: '${ACCOUNT}' } } })
  const clients = await Promise.all(
    ['ada', 'bob'].map(async (account) => home.open({ env: { ACCOUNT: account } })),
  )
  const seen = await Promise.all(
    clients.map(async (client) => valueOf(await call(client, 'whoami'))['env']),
  )
  expect(seen).toMatchObject([{ ACCOUNT: 'ada' }, { ACCOUNT: 'bob' }])
  expect(await home.gateway()).toBeDefined()
})

it('a gateway whose socket was deleted makes it again, and one whose folder was deleted gives way', async () => {
  const home = sharedHome({ one: stdioUpstream() })
  const client = await home.open()
  const first = await home.gateway()
  rmSync(home.file('data/run/gateway.sock'))
  await expect.poll(async () => home.gateway()).toBe(first)
  rmSync(home.file('data/run'), { recursive: true })
  const other = await home.open()
  const second = await home.gateway()
  expect(second).not.toBe(first)
  await expect.poll(() => isRunning(first ?? 0)).toBe(false)
  for (const each of [client, other]) expect(await echo(each)).toBe('hello')
})

it('a gateway whose data folder was deleted ends, and does not make the folder again', async () => {
  const home = sharedHome({ one: stdioUpstream() })
  const client = await home.open()
  const pid = await home.gateway()
  await client.close()
  rmSync(home.file('data'), { recursive: true })
  await expect.poll(() => isRunning(pid ?? 0)).toBe(false)
  expect(existsSync(home.file('data'))).toBe(false)
})
