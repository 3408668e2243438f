import { describe, expect, it } from 'vitest'
import { aTrustedFolder } from '../../test/support/trusted-folder.ts'
import { loadConfig } from './load.ts'

const MCP = '.mcp.json'
const SETTINGS = 'portolan.yaml'

describe('servers of a file that has changed since it was trusted', () => {
  const before = { mcpServers: { one: { command: 'one' }, two: { command: 'two' } } }

  it('stop at once where they are removed or disabled, or offer fewer tools', async () => {
    const { cwd, watcher } = aTrustedFolder({ [MCP]: before })
    const { servers } = watcher.current
    cwd.write(MCP, {
      mcpServers: {
        one: { command: 'one', disabled_tools: ['drop_*'] },
        three: { command: 'three' },
      },
    })
    const config = await watcher.reload()
    expect([...config.servers.keys()]).toEqual(['one'])
    expect(config.servers.get('one')).toMatchObject({ tools: { without: ['drop_*'] } })
    expect(config.leftOut).toMatchObject([
      {
        changes: {
          inForce: ['server "one" changed', 'server "two" removed'],
          waiting: ['server "three" added'],
        },
      },
    ])
    expect(watcher.history[0]).toMatchObject({
      outcome: 'partly',
      changes: ['server "one" changed', 'server "two" removed'],
    })
    cwd.write(MCP, {
      mcpServers: { ...before.mcpServers, one: { command: 'other', disabled: true } },
    })
    const disabled = await watcher.reload()
    expect(disabled.servers.get('one')).toMatchObject({ command: 'one', enabled: false })
    expect(disabled.servers.get('two')).toEqual(servers.get('two'))
    cwd.write(MCP, before)
    expect((await watcher.reload()).servers).toEqual(servers)
  })

  it('hide at once the tools that a changed override hides, and wait with all else of it', async () => {
    const tools = { search: { name: 'find' } }
    const one = { command: 'one', tools }
    const { cwd, watcher } = aTrustedFolder({ [MCP]: { mcpServers: { one } } })
    const changed = { search: { name: 'look' }, 'drop_*': { hidden: true } }
    cwd.write(MCP, { mcpServers: { one: { ...one, tools: changed } } })
    expect((await watcher.reload()).servers.get('one')).toMatchObject({
      overrides: { tools },
      changedOverrides: { tools: changed },
    })
  })

  it('offer only tools of both entries', async () => {
    const one = { command: 'one', enabled_tools: ['get_*', 'put_*'] }
    const { cwd, watcher } = aTrustedFolder({ [MCP]: { mcpServers: { one } } })
    cwd.write(MCP, { mcpServers: { one: { ...one, enabled_tools: ['get_*', 'drop_*'] } } })
    expect((await watcher.reload()).servers.get('one')).toMatchObject({
      tools: { only: ['get_*', 'put_*'] },
      changedTools: { only: ['get_*', 'drop_*'] },
    })
    cwd.write(MCP, { mcpServers: { one: { ...one, enabled_tools: ['get_*'] } } })
    expect((await watcher.reload()).servers.get('one')).toMatchObject({
      tools: { only: ['get_*'] },
    })
    cwd.write(MCP, { mcpServers: { one: { command: 'one' } } })
    const wider = (await watcher.reload()).servers.get('one')
    expect(wider).toMatchObject({ tools: { only: ['get_*', 'put_*'] } })
    expect(wider).not.toHaveProperty('changedTools')
  })

  it('run in a sandbox at once where they ask for one, and never in a wider one', async () => {
    const one = { command: 'one' }
    const sandbox = async (now: unknown) => {
      cwd.write(MCP, { mcpServers: { one: { ...one, sandbox: now } } })
      const server = (await watcher.reload()).servers.get('one')
      return server?.kind === 'stdio' ? server.sandbox : undefined
    }
    const { cwd, watcher, trust } = aTrustedFolder({ [MCP]: { mcpServers: { one } } })
    expect(await sandbox({ write: ['out'] })).toMatchObject({ write: ['out'], network: 'any' })
    trust(MCP)
    await watcher.reload()
    expect(await sandbox({ network: ['a.example'] })).toMatchObject({ network: ['a.example'] })
    trust(MCP)
    await watcher.reload()
    const narrow = { write: [], network: ['a.example'] }
    for (const wider of [
      false,
      true,
      { network: ['a.example', 'b.example'] },
      { network: ['a.example'], write: ['.'] },
      { network: ['a.example'], read: ['~'] },
      { network: ['a.example'], env: ['TOKEN'] },
    ])
      expect(await sandbox(wider)).toMatchObject(narrow)
    expect(await sandbox({ network: 'none' })).toMatchObject({ network: 'none' })
  })

  it('give way to the server of the person that they hid', async () => {
    const { cwd, home, watcher } = aTrustedFolder({ [MCP]: before })
    home.write('.portolan/mcp.json', { mcpServers: { one: { command: 'mine' } } })
    expect((await watcher.reload()).servers.get('one')).toMatchObject({ command: 'one' })
    cwd.write(MCP, { mcpServers: { two: { command: 'two' } } })
    expect((await watcher.reload()).servers.get('one')).toMatchObject({ command: 'mine' })
  })

  it('do not take the place of built-ins before they are trusted', async () => {
    const { cwd, both, trust } = aTrustedFolder({ [MCP]: { mcpServers: {} } })
    const names = async () => Object.values(await both()).map(({ servers }) => [...servers.keys()])
    const [builtins = []] = await names()
    expect(builtins).toContain('code')
    cwd.write(MCP, before)
    expect(await names()).toEqual([builtins, builtins])
    trust(MCP)
    expect(await names()).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ])
  })

  it('do not start with the gateway', () => {
    const { cwd, place } = aTrustedFolder({ [MCP]: before })
    cwd.write(MCP, { mcpServers: { one: { command: 'other' } } })
    const config = loadConfig(place)
    expect([...config.servers.values()].filter(({ kind }) => kind === 'stdio')).toEqual([])
    expect(config.leftOut[0]?.message).toContain('none of its servers is started')
  })
})

it('settings that have changed since they were trusted switch off at once, and on once trusted', async () => {
  const { cwd, both, trust, watcher } = aTrustedFolder({
    [SETTINGS]: {
      scripts: { enabled: true },
      builtins: { code: true, traces: false },
      auth: { defaultAgent: 'ada', adminGroups: ['a', 'b'] },
    },
  })
  cwd.write(SETTINGS, {
    scripts: { enabled: false },
    builtins: { traces: true, code: false },
    auth: { required: true, adminGroups: ['b', 'c'] },
    audit: { arguments: true },
  })
  for (const { settings, servers } of Object.values(await both())) {
    expect(settings.scripts.enabled).toBe(false)
    expect(settings.builtins).toMatchObject({ code: false, traces: false })
    expect([...servers.keys()]).not.toContain('code')
    expect(settings.auth).toMatchObject({ required: true, adminGroups: ['b'] })
    expect(settings.auth.defaultAgent).toBeUndefined()
    expect(settings.audit.arguments).toBe(false)
  }
  cwd.write(SETTINGS, { scripts: { enabled: 7 } })
  const bad = await watcher.reload()
  expect(bad.settings.scripts.enabled).not.toBe(true)
  cwd.write(SETTINGS, { audit: { arguments: true } })
  trust(SETTINGS)
  for (const { settings } of Object.values(await both()))
    expect(settings.audit.arguments).toBe(true)
})
