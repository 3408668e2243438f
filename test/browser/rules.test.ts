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
  return { ...gateway, folder, ada }
})

it('restricts an agent: a draft with its diff, replayed on the last calls, then applied', async () => {
  const { gateway, visitAsOwner } = site()
  const { folder, ada } = gateway
  await visitAsOwner('/agents', async (page) => {
    await page.getByRole('button', { name: /^ada on files/ }).click()
    await page.getByRole('button', { name: 'Deny echo for ada' }).click()
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
    expect(await page.getByRole('button', { name: /for ada$/ }).count()).toBe(0)
  })
})
