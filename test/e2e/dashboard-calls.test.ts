import { describe, expect, it } from 'vitest'
import { createFileKeyStore } from '../../src/identity/file-key-store.ts'
import { identityFiles } from '../../src/identity/identity-files.ts'
import { untilStatus, withTasks } from '../support/clients/extensions.ts'
import { call, execute } from '../support/clients/talk.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { type Gateway, as, openDashboard } from '../support/dashboard/open-dashboard.ts'
import { stdioUpstream } from '../support/start.ts'

const PASSWORD = 'correct "horse" battery'
const TOKEN = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'

async function newest(ask: Gateway['ask'], tool: string): Promise<string> {
  const { value } = await ask('GET /calls')
  return value.calls.find((one) => one.tool === tool)?.id ?? ''
}

describe('one call on the dashboard', () => {
  it('shows arguments and result only while that is switched on, without secrets', async () => {
    const gateway = await openDashboard({
      servers: { files: { ...stdioUpstream(), env: { FILES_PASSWORD: PASSWORD } } },
    })
    const { ask, ownerAsks } = gateway
    const ada = await as(gateway, 'ada')
    const echo = async (text: string) => {
      await execute(ada, 'files', 'echo', { text })
      const id = await newest(ask, 'echo')
      const isHidden = (await ask('GET /call/:id', { params: { id } })).value.kept === null
      expect(isHidden, 'whoever has no session sees none').toBe(true)
      return (await ownerAsks('GET /call/:id', { params: { id } })).value
    }
    expect((await ask('GET /capture')).value).toEqual({ on: false, calls: 0, bytes: 0 })
    expect(await echo('unseen')).toMatchObject({ call: { tool: 'echo', agent: 'ada' }, kept: null })

    expect((await ask('POST /capture', { body: { on: true } })).value.on).toBe(true)
    const { kept } = await echo(`hello ${TOKEN} and ${PASSWORD}`)
    expect(kept?.arguments).toContain('hello [redacted] and [redacted]')
    expect(kept?.result).toContain('hello [redacted] and [redacted]')
    expect(JSON.stringify(kept)).not.toMatch(/ghp_|horse/)

    await execute(ada, 'files', 'fail', { text: 'no such file' })
    const failed = await ownerAsks('GET /call/:id', { params: { id: await newest(ask, 'fail') } })
    expect(failed.value.kept?.result).toContain('no such file')

    await ask('POST /capture', { body: { on: false } })
    const forgotten = await ownerAsks('GET /call/:id', {
      params: { id: await newest(ask, 'fail') },
    })
    expect(forgotten.value.kept).toBeNull()
    expect(await ask('GET /call/:id', { params: { id: 'none' } })).toMatchObject({ status: 404 })
  })

  it('that became a task is a call, and each question about its task is one of its own', async () => {
    const gateway = await openDashboard({ settings: { tasks: { offerAfterMs: 100 } } })
    const ada = withTasks(
      await gateway.connect({ era: 'modern', headers: { 'x-agent-id': 'ada' } }),
    )
    const { taskId } = await call(ada, 'files__slow', { ms: 800 })
    await untilStatus(ada, taskId, 'completed')
    const operations = async () => {
      const { value } = await gateway.ask('GET /calls')
      return value.calls
        .filter(
          ({ tool, agent, outcome }) => tool === 'slow' && agent === 'ada' && outcome === 'ok',
        )
        .map(({ operation }) => operation)
    }
    await expect.poll(async () => (await operations()).at(-1)).toBe('tools/call')
    expect(new Set((await operations()).slice(0, -1))).toEqual(new Set(['tasks/get']))
  })

  it('shows what its server wrote meanwhile, and nothing of other times', async () => {
    const gateway = await openDashboard()
    const ada = await as(gateway, 'ada')
    await execute(ada, 'files', 'flood_stderr', { bytes: 10 })
    const params = { id: await newest(gateway.ask, 'flood_stderr') }
    const output = async () => (await gateway.ask('GET /call/:id', { params })).value.output
    await expect.poll(output).not.toEqual([])
    await execute(ada, 'notes', 'echo', { text: 'quiet' })
    const quiet = { id: await newest(gateway.ask, 'echo') }
    expect((await gateway.ask('GET /call/:id', { params: quiet })).value.output).toEqual([])
  })

  it('lets a viewer see that there was a call, and neither its content nor the switch', async () => {
    const gateway = await openDashboard({ settings: { auth: { required: true } } })
    const store = createFileKeyStore(identityFiles(gateway.folder.file('data')).keys)
    const [admin, viewer, agent] = await Promise.all([
      store.create('ada', { role: 'admin' }),
      store.create('bob', { role: 'viewer' }),
      store.create('ada'),
    ])
    const by = (secret: string) => dashboardOf(gateway.url, { authorization: `Bearer ${secret}` })
    const on = { body: { on: true } }
    expect((await by(viewer.secret)('POST /capture', on)).status).toBe(403)
    expect((await by(admin.secret)('POST /capture', on)).status).toBe(200)
    const ada = await gateway.connect({
      headers: { authorization: `Bearer ${agent.secret}` },
      query: '',
    })
    await execute(ada, 'files', 'echo', { text: 'for admins' })
    const params = { id: await newest(by(viewer.secret), 'echo') }
    const seen = await by(viewer.secret)('GET /call/:id', { params })
    expect(seen.value).toMatchObject({ call: { tool: 'echo' }, kept: null })
    const whole = await by(admin.secret)('GET /call/:id', { params })
    expect(whole.value.kept?.arguments).toContain('for admins')
    expect((await by(agent.secret)('GET /call/:id', { params })).status).toBe(403)
  })
})

describe('one server on the dashboard', () => {
  it('is switched off and on in its file, and the other one is not', async () => {
    const { ask, folder } = await openDashboard()
    const states = async () => {
      const { value } = await ask('GET /servers')
      return Object.fromEntries(
        value.servers.map(({ name, state }) => [name, state === 'disabled']),
      )
    }
    const turn = async (server: string, enabled: boolean) =>
      ask('POST /servers/:server/enabled', { params: { server }, body: { enabled } })
    expect(await turn('notes', false)).toMatchObject({
      status: 200,
      value: { server: 'notes', file: folder.file('.mcp.json') },
    })
    expect(await states()).toEqual({ files: false, notes: true })
    expect(JSON.parse(folder.read('.mcp.json')).mcpServers.notes.disabled).toBe(true)
    await turn('notes', true)
    expect(await states()).toEqual({ files: false, notes: false })
    expect(JSON.parse(folder.read('.mcp.json')).mcpServers.notes.disabled).toBeUndefined()
    expect((await turn('none', false)).status).toBe(404)
  })
})
