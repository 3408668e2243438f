import { expect, it } from 'vitest'
import type { RulesDraft } from '../../src/dashboard/contract/agents.ts'
import { execute } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { gravely } from '../support/dashboard/axe.ts'
import { localPass } from '../support/dashboard/local-pass.ts'
import { useSite } from '../support/dashboard/visit.ts'
import { startGateway } from '../support/gateway.ts'
import { stdioUpstream } from '../support/start.ts'
import { type Later, tempFolder } from '../support/temp-folder.ts'

const RULES = `{
  // who may do what
  "agents": {
    "ada": { "allow": { "servers": ["files"] } }, // reads and writes
    "bob": { "allow": { "servers": ["files"] } },
    "dashboard": { "allow": { "servers": ["*"] } }
  },
  "defaults": { "deny_on_missing_agent": true }
}
`
const NAME = '.mcp-gateway-rules.json'
const CALLS = 3

const site = useSite(async (later: Later) => {
  const folder = tempFolder(later)
  folder.write('.mcp.json', { mcpServers: { files: stdioUpstream('--name', 'files') } })
  folder.write(NAME, RULES)
  const gateway = await startGateway(folder, [], {}, later)
  const ada = await openHttp('legacy', `${gateway.url}/mcp`, { 'x-agent-id': 'ada' })
  later(async () => ada.close().catch(() => undefined))
  for (let n = 0; n < CALLS; n++) await execute(ada, 'files', 'echo', { text: `hello ${n}` })
  const bob = await openHttp('legacy', `${gateway.url}/mcp`, { 'x-agent-id': 'bob' })
  await execute(bob, 'files', 'echo', { text: 'hello' })
  await bob.close()
  return { ...gateway, folder, ada }
})

it('restricts an agent: a draft with its diff, replayed on the last calls, then applied', async () => {
  const { gateway, visitAsOwner } = site()
  const { folder, ada } = gateway
  await visitAsOwner('/agents', async (page) => {
    await page.getByRole('button', { name: /^ada on files/ }).click()
    await page.getByLabel('Rule for echo, for ada').selectOption('deny')
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: `Changes of ${folder.file(NAME)}` }).waitFor()
    await page.getByText(`would have denied ${CALLS} calls of ada to files/echo`).waitFor()
    expect(await gravely(page)).toEqual([])
    expect(folder.read(NAME)).toBe(RULES)
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('In force as version 2').waitFor()
  })
  expect(folder.read(NAME)).toContain('// reads and writes')
  const denied = await execute(ada, 'files', 'echo', { text: 'no more' }).catch(String)
  expect(JSON.stringify(denied)).toContain('agents.ada.deny.tools.files[0]')
})

it('asks about calls by their arguments: a condition is checked, and says what it would ask', async () => {
  const { gateway, visitAsOwner } = site()
  const { folder } = gateway
  await visitAsOwner('/agents', async (page) => {
    await page.getByRole('button', { name: /^bob on files/ }).press('Enter')
    await page.getByLabel('Rule for files, for bob').selectOption('condition')
    await page.getByRole('button', { name: 'Ask about' }).press('Enter')
    await page.getByLabel('Start from').selectOption('pattern')
    await page.getByLabel('Argument', { exact: true }).fill('text')
    const schema = page.getByLabel('JSON Schema on the arguments')
    await schema.fill((await schema.inputValue()).replace('pattern', 'patern'))
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Did you mean').waitFor()
    expect(await gravely(page)).toEqual([])
    await schema.fill((await schema.inputValue()).replace('patern', 'pattern'))
    await page.getByRole('button', { name: 'Add to the draft' }).press('Enter')
    await page.keyboard.press('Escape')
    await page.getByText('audit.arguments was off').waitFor()
    await page.getByRole('button', { name: 'Apply' }).press('Enter')
    await page.getByText('In force as version').waitFor()
    await page.getByRole('button', { name: /^bob on files: .*by arguments/ }).press('Enter')
    await page.getByText('agents.bob.ask.tools.files[0]').first().waitFor()
    expect(await gravely(page)).toEqual([])
  })
  expect(folder.read(NAME)).toContain('"pattern"')
})

it('restricts an agent on a phone too, in the dark', async () => {
  const { gateway, visitAsOwner } = site()
  await visitAsOwner(
    '/agents',
    async (page) => {
      await page.getByRole('button', { name: /^bob on files/ }).click()
      await page.getByLabel('Rule for echo, for bob').selectOption('deny')
      expect(await gravely(page)).toEqual([])
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByText('would have denied 1 call of bob to files/echo').waitFor()
      expect(await gravely(page)).toEqual([])
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText('In force as version').waitFor()
    },
    { width: 390, scheme: 'dark' },
  )
  expect(gateway.folder.read(NAME)).toContain('"deny": { "tools": { "files": [ "echo" ] } }')
})

it('overwrites nothing that somebody has changed since the draft was made', async () => {
  const { folder, url } = site().gateway
  const ask = async (path: string, body: object) => {
    const answer = await fetch(`${url}/api/dashboard${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${localPass(folder.file('data'), url, 'command')}`,
        'x-portolan-dashboard': '1',
      },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    return { status: answer.status, text }
  }
  const changes = [{ agent: 'ada', server: 'files', effect: 'deny' }]
  const { text } = await ask('/rules/draft', { changes })
  const { files }: RulesDraft = JSON.parse(text)
  const digests = Object.fromEntries(files.map(({ path, digest }) => [path, digest]))
  const edited = folder.read(NAME).replace('who may do what', 'rules')
  folder.write(NAME, edited)
  const refused = await ask('/rules/apply', { changes, digests })
  expect(refused).toMatchObject({
    status: 400,
    text: expect.stringContaining('was changed by somebody else'),
  })
  expect(folder.read(NAME)).toBe(edited)
})

it('lets a reader without a session look, and change nothing', async () => {
  await site().visit('/agents', async (page) => {
    await page.getByRole('button', { name: /^ada on files/ }).click()
    await page.getByText('tools allowed').waitFor()
    expect(await page.getByLabel(/, for ada$/).count()).toBe(0)
  })
})
