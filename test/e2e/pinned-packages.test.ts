import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { isObject } from '../../src/base/json/json.ts'
import { needBubblewrap } from '../support/bubblewrap.ts'
import { call, textOf, toolNames, valueOf } from '../support/clients/talk.ts'
import { type NpmRegistry, packagedServer, startRegistry } from '../support/npm-registry.ts'
import { openGateway } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const settings = { builtins: { code: false, knowledge: false, traces: false } }
const pages = { command: 'npx', args: ['-y', 'pages-mcp', '--fast'] }

beforeAll(needBubblewrap)

/** A registry, and a folder of a person whose npm uses it. */
async function onMachine(): Promise<{ registry: NpmRegistry; folder: TempFolder }> {
  const registry = await startRegistry()
  onTestFinished(async () => registry[Symbol.asyncDispose]())
  registry.publish('words', '1.0.0', { files: { 'tools.json': '["count_words"]' } })
  publish(registry, '1.0.0', ['read_page'])
  return { registry, folder: machineOf(registry) }
}

function machineOf(registry: NpmRegistry): TempFolder {
  const folder = tempFolder()
  folder.write('.npmrc', registry.npmrc)
  folder.write('portolan.yaml', settings)
  folder.write('.mcp.json', { mcpServers: { pages } })
  return folder
}

function publish(registry: NpmRegistry, version: string, tools: readonly string[]): void {
  const dependencies = { words: '^1.0.0' }
  registry.publish('pages-mcp', version, packagedServer(tools, { dependencies }))
}

async function listed(folder: TempFolder): Promise<string[]> {
  const gateway = await openGateway({ folder, servers: { pages } })
  const client = await gateway.connect()
  await expect.poll(async () => toolNames(client)).not.toEqual([])
  const names = await toolNames(client)
  await gateway.close()
  return names
}

describe('a server of npx', () => {
  it('is pinned when it first starts, marked so, and runs in its sandbox as well', async () => {
    const { registry, folder } = await onMachine()
    const servers = {
      pages,
      confined: { ...pages, sandbox: true },
      files: { command: 'uvx', args: ['x'] },
    }
    const gateway = await openGateway({ folder, servers, settings })
    const client = await gateway.connect({ query: '' })
    const ask = async (server: string) =>
      textOf(await call(client, 'execute_tool', { server, tool: 'read_page' }))
    expect(await ask('pages')).toBe('read_page ran with --fast')
    expect(await ask('confined')).toBe('read_page ran with --fast')
    const status = valueOf(await call(client, 'get_gateway_status'))
    const rows = Array.isArray(status['servers']) ? status['servers'].filter(isObject) : []
    const marks = rows.map(({ name, package: pinned, not_pinned: not }) => [name, pinned ?? not])
    expect(marks).toEqual([
      ['pages', 'pages-mcp@1.0.0'],
      ['confined', 'pages-mcp@1.0.0'],
      ['files', 'only packages that npx runs are pinned, not uvx'],
    ])
    const list = await runBuilt(folder, ['server', 'list'])
    expect(list.stdout).toMatch(/pages +npx pages-mcp \(pinned 1\.0\.0\)/)
    expect(list.stdout).toMatch(/confined +npx pages-mcp \(pinned 1\.0\.0, sandbox\)/)
    expect(list.stdout).toMatch(/files +uvx x \(not pinned\)/)
    const asked = registry.seen.filter(({ url }) => url.pathname === '/pages-mcp').length
    await gateway.close()
    publish(registry, '2.0.0', ['delete_page'])
    expect(await listed(folder)).toEqual(['read_page', 'count_words'])
    expect(registry.seen.filter(({ url }) => url.pathname === '/pages-mcp').length).toBe(asked)
  })

  it('is the same in two clones with one lock, whatever was published meanwhile', async () => {
    const { registry, folder } = await onMachine()
    expect(await runBuilt(folder, ['lock'])).toMatchObject({ code: 0 })
    publish(registry, '2.0.0', ['delete_page'])
    registry.publish('words', '1.1.0', { files: { 'tools.json': '["send_words"]' } })
    const clone = machineOf(registry)
    clone.write('mcp.lock', folder.read('mcp.lock'))
    expect(await listed(clone)).toEqual(['read_page', 'count_words'])
    expect(await listed(folder)).toEqual(['read_page', 'count_words'])
    expect(await runBuilt(clone, ['lock', '--check'])).toMatchObject({ code: 0 })
    // Without the lock, it is what is published now.
    expect(await listed(machineOf(registry))).toEqual(['delete_page', 'send_words'])
  })

  it('does not start if its archive is not the one in the lock, and says what to do', async () => {
    const { registry, folder } = await onMachine()
    await runBuilt(folder, ['lock'])
    publish(registry, '1.0.0', ['read_page', 'steal'])
    const clone = machineOf(registry)
    clone.write('mcp.lock', folder.read('mcp.lock'))
    const check = await runBuilt(clone, ['lock', '--check'])
    expect(check.code).toBe(1)
    expect(check.stdout + check.stderr).toContain('pages-mcp@1.0.0 is not what was locked')
    const gateway = await openGateway({ folder: clone, servers: { pages }, settings })
    const client = await gateway.connect({ query: '' })
    const failed = await call(client, 'execute_tool', { server: 'pages', tool: 'read_page' })
    expect(textOf(failed)).toMatch(/is not what was locked.*portolan server upgrade pages/s)
  })

  it('is another version after an upgrade that shows what changes, in a running gateway too', async () => {
    const { registry, folder } = await onMachine()
    const gateway = await openGateway({ folder, servers: { pages }, settings })
    const client = await gateway.connect()
    await expect.poll(async () => toolNames(client)).toEqual(['read_page', 'count_words'])
    const named = ['server', 'upgrade', 'pages']
    const here = { PORTOLAN_LISTEN_PORT: new URL(gateway.url).port }
    const same = await runBuilt(folder, named)
    expect(same.stdout).toContain('pages is what the registry has now')
    publish(registry, '2.0.0', ['read_page', 'delete_page'])
    const shown = await runBuilt(folder, named)
    expect(shown.stdout).toContain('pages-mcp@1.0.0, which needs 1 package → pages-mcp@2.0.0')
    expect(shown.stdout).toContain('tool delete_page: material')
    expect(shown.stdout).toContain('Nothing was changed')
    expect(await toolNames(client)).toEqual(['read_page', 'count_words'])
    const asked = await runBuilt(folder, [...named, '--json'])
    expect(JSON.parse(asked.stdout)).toMatchObject({ upgraded: false, to: { version: '2.0.0' } })
    const done = await runBuilt(folder, [...named, '--yes'], here)
    expect(done.stdout).toContain('pages is pages-mcp@2.0.0 from now on')
    // What the person has seen is not held.
    const now = ['read_page', 'delete_page', 'count_words']
    await expect.poll(async () => toolNames(client)).toEqual(now)
    expect(textOf(await call(client, 'delete_page'))).toBe('delete_page ran with --fast')
    await gateway.close()
    expect(await listed(folder)).toEqual(now)
  })

  it('takes an upgrade into the lock, which a clone gets with it', async () => {
    const { registry, folder } = await onMachine()
    await runBuilt(folder, ['lock'])
    publish(registry, '2.0.0', ['delete_page'])
    const gateway = await openGateway({ folder, servers: { pages }, settings })
    const client = await gateway.connect()
    await expect.poll(async () => toolNames(client)).toEqual(['read_page', 'count_words'])
    const done = await runBuilt(folder, ['server', 'upgrade', 'pages', '--yes'])
    expect(done.stdout).toContain('mcp.lock says so')
    await expect.poll(async () => toolNames(client)).toEqual(['delete_page', 'count_words'])
    const clone = machineOf(registry)
    clone.write('mcp.lock', folder.read('mcp.lock'))
    expect(await runBuilt(clone, ['lock', '--check'])).toMatchObject({ code: 0 })
    expect(await listed(clone)).toEqual(['delete_page', 'count_words'])
  })

  it('is the exact version of its entry, also where the lock has another one', async () => {
    const { registry, folder } = await onMachine()
    await runBuilt(folder, ['lock'])
    publish(registry, '2.0.0', ['delete_page'])
    const exact = { command: 'npx', args: ['-y', 'pages-mcp@2.0.0', '--fast'] }
    folder.write('.mcp.json', { mcpServers: { pages: exact } })
    const check = await runBuilt(folder, ['lock', '--check'])
    expect(check.code).toBe(1)
    expect(check.stdout).toContain(
      'mcp.lock has version 1.0.0 of its package, and its entry starts 2.0.0',
    )
    const upgraded = await runBuilt(folder, ['server', 'upgrade', 'pages'])
    expect(upgraded.stdout).toContain('Its entry names version 2.0.0; change it there.')
  })
})
