import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { parseObject } from '../../src/base/json/json.ts'
import type { RawClient } from '../support/clients/raw-client.ts'
import { call, textOf } from '../support/clients/talk.ts'
import { openStdio } from '../support/clients/wires.ts'
import { MAIN } from '../support/gateway.ts'
import { namedFiles } from '../support/named-files.ts'
import { type Opened, openGateway } from '../support/open-gateway.ts'
import { runCli } from '../support/run-cli.ts'
import { stdioUpstream } from '../support/start.ts'
import { tempFolder } from '../support/temp-folder.ts'

const RULES = `{
  // what agents may do
  "agents": {
    "ada": {
      "allow": { "servers": ["*"] },
      "ask": { "tools": { "one": ["echo"] } }
    }
  }
}
`
const RULES_FILE = '.mcp-gateway-rules.json'

async function aGateway() {
  return openGateway({
    servers: { one: stdioUpstream() },
    rules: parseObject(RULES.replace(/\/\/.*/, '')) ?? {},
    settings: { approvals: { waitMs: 200 } },
  })
}

const asAda = async (gateway: Opened) =>
  gateway.connect({ headers: { 'x-agent-id': 'ada' }, capabilities: { roots: {} } })
const echo = async (client: RawClient, text: string) => textOf(await call(client, 'echo', { text }))
const idIn = (text: string) => /approval ([0-9a-f]{10})/.exec(text)?.[1] ?? ''

it('by command: prints the change, makes it as a version, and nobody is asked about this again', async () => {
  const gateway = await aGateway()
  gateway.folder.write(RULES_FILE, RULES)
  const client = await asAda(gateway)
  const [id, other] = [idIn(await echo(client, 'hi')), idIn(await echo(client, 'other'))]
  const cli = async (...args: string[]) => runCli(gateway.folder, args)
  const said = await cli('approvals', 'approve', id, '--always')
  expect(said.stdout).toContain('+      "ask": { "tools": { "one": [{ "tool": "echo", "unless": [')
  expect(said.stdout).toContain('{ "const": { "text": "hi" } }')
  for (let n = 0; n < 3; n++) expect(await echo(client, 'hi'), 'at once').toBe('hi')
  expect(readFileSync(gateway.folder.file(RULES_FILE), 'utf8')).toContain('// what agents may do')
  expect((await cli('history')).stdout).toContain('always allow ada one/echo')

  const late = await cli('approvals', 'approve', other, '--always')
  expect(late.code).not.toBe(0)
  expect(late.stderr).toContain('was changed by somebody else')
  expect((await cli('approvals', 'list', '--json')).stdout, 'still asked').toContain(other)
  await expect
    .poll(async () => (await cli('approvals', 'list', '--json')).stdout, { timeout: 20_000 })
    .not.toContain(id)
  const asked = async () => (await cli('approvals', 'list', '--all', '--json')).stdout
  const before = (await asked()).split('"state"').length
  for (let n = 0; n < 3; n++) expect(await echo(client, 'hi')).toBe('hi')
  expect((await asked()).split('"state"').length, 'no new question').toBe(before)
  expect(await echo(client, 'hi!')).toContain('APPROVAL_PENDING')
})

it('in the client of the person: offers it with the change, on stdio and nowhere else', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { one: stdioUpstream() } })
  const rules = parseObject(RULES.replace(/\/\/.*/, ''))
  folder.write(RULES_FILE, { ...rules, defaults: { deny_on_missing_agent: false } })
  const client = await openStdio('legacy', {
    command: process.execPath,
    args: [MAIN],
    cwd: folder.path,
    env: {
      PATH: process.env['PATH'],
      HOME: folder.path,
      PORTOLAN_HOME: folder.file('data'),
      PORTOLAN_ALONE: '1',
      PORTOLAN_SURFACE: 'direct',
      PORTOLAN_AUTH_DEFAULT_AGENT: 'ada',
      ...namedFiles(folder, {}),
    },
  })
  onTestFinished(async () => client.close())
  client.answers['elicitation/create'] = { action: 'accept', content: { decision: 'always' } }
  expect(await echo(client, 'hi')).toBe('hi')
  const questions = () => client.asked.filter(({ method }) => method === 'elicitation/create')
  const params = questions()[0]?.params ?? {}
  expect(params['message']).toContain('"const"')
  expect(JSON.stringify(params['requestedSchema'])).toContain('"always"')
  for (let n = 0; n < 3; n++) expect(await echo(client, 'hi')).toBe('hi')
  expect(questions(), 'one question in all').toHaveLength(1)
  expect(JSON.parse(readFileSync(folder.file(RULES_FILE), 'utf8'))).toMatchObject({
    agents: { ada: { ask: { tools: { one: [{ unless: [{ const: { text: 'hi' } }] }] } } } },
  })

  const gateway = await aGateway()
  const remote = await gateway.connect({ headers: { 'x-agent-id': 'ada' } })
  remote.answers['elicitation/create'] = { action: 'accept', content: { decision: 'always' } }
  expect(await echo(remote, 'hi'), 'what was not offered is no answer').toContain('denied')
  const offered = remote.asked.filter(({ method }) => method === 'elicitation/create')
  expect(JSON.stringify(offered)).not.toContain('always')
})
