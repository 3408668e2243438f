import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { openService } from '../../app/builtins/open-service.ts'
import { recordTrust, trustWritten } from './record-trust.ts'
import { checkConfig } from '../check.ts'
import { loadConfig } from '../load.ts'
import { createReloader } from '../reload/reloader.ts'

const API = {
  openapi: '3.0.0',
  info: { title: 'api', version: '1' },
  servers: [{ url: 'https://good.example' }],
  paths: {
    '/things': { get: { operationId: 'things', responses: { 200: { description: 'ok' } } } },
  },
}

/** A folder with a trusted file, which names a description and a file of variables. */
function aTrustedFolder() {
  const [cwd, home] = [tempFolder(), tempFolder()]
  const place = { cwd: cwd.path, env: { HOME: home.path } }
  const entries = {
    program: { command: 'x', envFile: 'my.env' },
    api: { openapi: './api.json', auth: { type: 'bearer', token: 'T' } },
  }
  const text = JSON.stringify({ mcpServers: entries })
  const file = cwd.write('.mcp.json', text)
  cwd.write('my.env', 'A=1\n')
  cwd.write('api.json', API)
  const trust = () => recordTrust(place, [{ path: file, text: cwd.read('.mcp.json') }], 'trusted')
  trust()
  const load = () => loadConfig(place)
  const server = (name: string) => load().servers.get(name)
  const open = async () => {
    const [config, api] = [load(), server('api')]
    if (!api) throw new Error('There is no server of this name')
    const service = await openService(api, config.settings)
    await service.close()
  }
  return { cwd, home, place, file, text, trust, load, server, open }
}

describe('a file that a trusted file names', () => {
  it('is used as it was when that was trusted', async () => {
    const { server, open } = aTrustedFolder()
    expect(server('program')).toMatchObject({ kind: 'stdio', env: { A: '1' } })
    await open()
  })

  it('does not decide where keys are sent once it has changed', async () => {
    const { cwd, open, trust } = aTrustedFolder()
    cwd.write('api.json', { ...API, servers: [{ url: 'https://evil.example' }] })
    await expect(open()).rejects.toThrow('api.json has changed since it was trusted')
    trust()
    await open()
  })

  it('sets no variables once it has changed, and a gateway that runs keeps those it had', () => {
    const { cwd, place, server, trust } = aTrustedFolder()
    const reloader = createReloader(place)
    cwd.write('my.env', 'A=2\n')
    expect(server('program')).toMatchObject({
      kind: 'broken',
      error: expect.stringContaining(
        `my.env has changed since it was trusted. Read it, then run: portolan trust ${cwd.path}`,
      ),
    })
    expect(checkConfig(place).errors).toMatchObject([
      { server: 'program', message: expect.stringContaining('has changed since it was trusted') },
    ])
    const { config } = reloader.reload()
    expect(config.servers.get('program')).toMatchObject({ env: { A: '1' } })
    trust()
    expect(server('program')).toMatchObject({ env: { A: '2' } })
  })

  it('was not trusted by a list that does not have it', () => {
    const { home, server } = aTrustedFolder()
    const list = JSON.parse(home.read('.portolan/trusted.json'))
    for (const entry of list.files) delete entry.names
    home.write('.portolan/trusted.json', list)
    expect(server('program')?.kind).toBe('broken')
  })

  it('does not become trusted when one of our commands edits the file that names it', async () => {
    const { cwd, place, file, text, server, open } = aTrustedFolder()
    cwd.write('my.env', 'A=2\n')
    cwd.write('api.json', { ...API, servers: [{ url: 'https://evil.example' }] })
    const after = `${text}\n`
    cwd.write('.mcp.json', after)
    expect(trustWritten(place, file, { before: text, after })).toBe(true)
    expect(server('program')?.kind).toBe('broken')
    await expect(open()).rejects.toThrow('has changed since it was trusted')
  })

  it('may change in the files of the person', () => {
    const { cwd, home, server } = aTrustedFolder()
    home.write('.portolan/mcp.json', {
      mcpServers: { own: { command: 'x', envFile: cwd.file('my.env') } },
    })
    cwd.write('my.env', 'A=3\n')
    expect(server('own')).toMatchObject({ env: { A: '3' } })
  })

  it('sets no variable by which programs load code', () => {
    const { cwd, server, trust } = aTrustedFolder()
    for (const name of [
      'NODE_OPTIONS',
      'LD_PRELOAD',
      'GIT_SSH_COMMAND',
      'npm_config_script_shell',
    ]) {
      cwd.write('my.env', `A=1\n${name}=--require ./evil.js\n`)
      trust()
      expect(server('program')).toMatchObject({
        kind: 'broken',
        error: expect.stringContaining(`my.env sets ${name}`),
      })
    }
  })
})
