import { expect, it } from 'vitest'
import { auditOf } from '../support/audit-of.ts'
import { call, structured, textOf } from '../support/clients/talk.ts'
import { openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

const ALL = { allow: { servers: ['*'], scripts: true } }
const without = (...tools: string[]) => ({ ...ALL, deny: { tools: { notes: tools } } })
const rules = (ada: object, grace: object) => ({ agents: { ada, grace } })

it('a working day: a denial reaches a script that runs, its agent alone, and everything is on record', async () => {
  const gateway = await openGateway({
    servers: { notes: stdioUpstream(), files: stdioUpstream() },
    rules: rules(ALL, without('log')),
  })
  const connect = async (agent: string, query = 'surface=direct') =>
    gateway.connect({ headers: { 'x-agent-id': agent }, query })
  const [ada, grace] = [await connect('ada'), await connect('grace')]
  const scripts = { ada: await connect('ada', 'surface=scripts') }
  const echo = async (client: typeof ada) =>
    textOf(await call(client, 'notes__echo', { text: 'good morning' }))
  for (const client of [ada, grace]) expect(await echo(client)).toContain('good morning')

  const code = `
    let answered = 0
    for (let n = 0; n < 200; n++) {
      try { await tools.notes.echo({ text: 'n' + n }); answered++ }
      catch (error) { return { answered, said: error.message } }
      await tools.files.slow({ ms: 50 })
    }
    return { answered }`
  const running = call(scripts.ada, 'run_script', { code })
  await expect.poll(() => JSON.stringify(auditOf(gateway))).toContain('script_call')
  gateway.folder.write('.mcp-gateway-rules.json', rules(without('echo'), without('log')))
  const result = structured(await running)['result']
  expect(result).toMatchObject({ said: expect.stringContaining('not authorized') })
  expect(await echo(ada)).toContain('not authorized')
  expect(await echo(grace)).toContain('good morning')

  gateway.folder.write('.mcp-gateway-rules.json', rules(ALL, ALL))
  await expect.poll(async () => echo(ada)).toContain('good morning')
  const denied = () =>
    auditOf(gateway)
      .filter(({ decision }) => decision === 'DENY')
      .map((entry) => [entry['agent_id'], entry['operation'], Object(entry['metadata'])['rule']])
  const rule = 'agents.ada.deny.tools.notes[0]'
  await expect.poll(denied).toContainEqual(['ada', 'script_call', rule])
  expect(denied()).toContainEqual(['ada', 'tools/call', rule])
  expect(denied().every(([agent]) => agent === 'ada')).toBe(true)
})
