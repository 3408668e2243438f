import type { Attack } from './report.ts'
import { Rig } from './rig.ts'
import { hostile } from './servers.ts'

const PASSWORD = 'correct-horse-100%-battery'
const KEY = `sk-ant-${'x1'.repeat(20)}`

/** Secrets of the configuration must not appear anywhere, even if a server returns them. */
export const secrets: Attack = {
  name: 'secrets in errors, logs and metrics',
  async run(field) {
    const leaking = hostile('none', { LEAK_PASSWORD: PASSWORD, API_TOKEN: KEY })
    const rig = await Rig.open({
      servers: {
        evil: { ...leaking, args: [...leaking.args, `--token=${KEY}`] },
        missing: { command: '/nonexistent/${ATTACK_TOKEN}' },
        remote: {
          url: `http://user:${encodeURIComponent(PASSWORD)}@127.0.0.1:9/mcp?token=${KEY}`,
          headers: { authorization: `Bearer ${KEY}` },
        },
      },
      rules: { agents: { ada: { allow: { servers: ['*'] } } } },
      settings: { audit: { arguments: true }, debug: true },
      env: {
        ATTACK_TOKEN: `${KEY}-token`,
        DATABASE_URL: `postgres://app:100%pure-${PASSWORD}@db/x`,
      },
    })
    const ada = { agent: 'ada' }
    // The caller gets back what it sent; nobody else may see it.
    await rig.call(`evil__${KEY}`, {}, ada)
    const shows = (text: string) => text.includes(PASSWORD) || text.includes('x1x1x1')
    const answers: Readonly<Record<string, () => Promise<string>>> = {
      'an error of the server': async () => rig.call('evil__leak', {}, ada),
      'a command that is missing': async () =>
        rig.call('execute_tool', { server: 'missing', tool: 'x', args: {} }, ada),
      'a remote that is down': async () =>
        rig.call('execute_tool', { server: 'remote', tool: 'x', args: {} }, ada),
      list_servers: async () => rig.call('list_servers', { include_metadata: true }, ada),
      get_gateway_status: async () => rig.call('get_gateway_status', {}, ada),
      'a refused argument': async () =>
        rig.call('evil__echo', { text: 5, password: PASSWORD, key: KEY }, ada),
      'a key as agent id': async () => rig.call('list_servers', {}, { agent: KEY }),
      metrics: async () => (await rig.get('/metrics')).text,
      ready: async () => (await rig.get('/ready')).text,
      overview: async () => (await rig.get('/api/dashboard/overview')).text,
      servers: async () => (await rig.get('/api/dashboard/servers')).text,
      'one server': async () => (await rig.get('/api/dashboard/servers/evil')).text,
      'another server': async () => (await rig.get('/api/dashboard/servers/remote')).text,
      config: async () => (await rig.get('/api/dashboard/config')).text,
      calls: async () => (await rig.get('/api/dashboard/calls')).text,
      'audit page': async () => (await rig.get('/api/dashboard/audit')).text,
    }
    for (const [name, answer] of Object.entries(answers))
      for (const round of ['once', 'again'])
        await field.try(`${name}, ${round}`, async () => !shows(await answer()))
    await rig.stop()
    await field.try('the log', () => !shows(rig.log()))
    await field.try('the audit file', () => !shows(rig.audit()))
    await rig.discard()
  },
}
