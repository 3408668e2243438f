import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { call, execute, structured } from '../support/clients/talk.ts'
import { auditOf } from '../support/audit-of.ts'
import { gravely } from '../support/dashboard/axe.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { useSite } from '../support/dashboard/visit.ts'
import { openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

const site = useSite(async (later) => {
  const gateway = await openGateway({
    servers: { files: stdioUpstream(), notes: stdioUpstream() },
    rules: { agents: { ada: { allow: { servers: ['*'], scripts: true } } } },
    later,
  })
  const ada = await gateway.connect({ query: '', headers: { 'x-agent-id': 'ada' } })
  const run = async (args: JsonObject) => structured(await call(ada, 'run_script', args))
  await run({
    code: `(await tools.files.echo({ text: 'a' })) + (await tools.notes.echo({ text: 'b' }))`,
    save: { name: 'both', description: 'Asks both servers' },
  })
  return { ...gateway, ada, run }
})

it('a proposal is read and approved here, and is a tool then; its run is a tree of calls', async () => {
  const { gateway, visitAsOwner } = site()
  const both = async () => structured(await execute(gateway.ada, 'scripts', 'both'))['result']
  expect(await both()).toBeUndefined()
  await visitAsOwner('/scripts', async (page) => {
    await page.getByRole('row', { name: /both proposed ada/ }).waitFor()
    expect(await gravely(page)).toEqual([])
    await page.getByRole('button', { name: 'both' }).click()
    const details = page.getByRole('dialog')
    await details.getByText('tools.files.echo').waitFor()
    expect(await gravely(page)).toEqual([])
    await details.getByRole('button', { name: 'Approve' }).click()
    await details.getByText('approved', { exact: true }).waitFor()
  })
  await expect.poll(both).toBe('ab')

  await gateway.run({ code: `(await tools.scripts.both({})).result` })
  await visitAsOwner('/scripts', async (page) => {
    const runs = page.getByRole('region', { name: 'Runs' })
    await runs.getByRole('link', { name: 'run_script' }).first().click()
    const calls = page.getByRole('region', { name: 'Calls of the run' })
    await calls.getByRole('link', { name: 'scripts.both' }).waitFor()
    const names = await calls.locator('tbody a').allInnerTexts()
    expect(names).toEqual(['scripts.both', 'files.echo', 'notes.echo'])
    await page.getByText('Tokens not spent').waitFor()
    expect(await gravely(page)).toEqual([])
    await calls.getByRole('link', { name: 'notes.echo' }).click()
    await page.getByRole('dialog').getByText('script_call').waitFor()
  })
})

it('a script is written here, edited, and approved as what was written', async () => {
  const { gateway, visitAsOwner } = site()
  const result = async () =>
    structured(await execute(gateway.ada, 'scripts', 'shout', { text: 'a' }))['result']
  await visitAsOwner('/scripts', async (page) => {
    await page.getByRole('button', { name: 'New script' }).press('Enter')
    await page.getByLabel('Name').fill('shout')
    await page.getByLabel('What it does').fill('Says it loudly')
    const source = page.getByLabel('Script, in JavaScript or TypeScript')
    await source.fill(`const loud = input.text\nloud + '!'`)
    await page.locator('.code-editor .code-keyword', { hasText: 'const' }).waitFor()
    expect(await gravely(page)).toEqual([])
    await page.getByRole('button', { name: 'Propose' }).press('Enter')
    const details = page.getByRole('dialog')
    await details.getByRole('button', { name: 'Approve' }).press('Enter')
    await details.getByText('approved', { exact: true }).waitFor()
    await expect.poll(result).toBe('a!')
    await details.getByText('Edit', { exact: true }).click()
    await source.fill(`input.text + '?'`)
    expect(await gravely(page)).toEqual([])
    await details.getByRole('button', { name: 'Propose' }).press('Enter')
    await details.getByRole('button', { name: 'Approve' }).press('Enter')
    await expect.poll(result).toBe('a?')
  })
})

it('the script of a run that ended well is proposed here, and is on record', async () => {
  const { gateway, visitAsOwner } = site()
  await gateway.run({ code: `'two of ' + input.text`, input: { text: 'a' } })
  await gateway.run({ code: `throw new Error('not this one')` })
  const ask = dashboardOf(gateway.url, {}, gateway.folder.file('data'))
  const runs = async () => (await ask('GET /runs')).value.runs
  const newest = async () => (await runs())[0]?.decision
  await expect.poll(newest).toBe('ERROR')
  const [failed, good] = await runs()
  const save = async (id = '', more: JsonObject = {}) => {
    const body = { name: 'two_of', description: 'Says it', inputSchema: '{}', ...more }
    const { status, failure } = await ask('POST /runs/:id/save', { params: { id }, body })
    return [status, failure.message]
  }
  expect(await save(good?.id, { name: 'Two Of' })).toEqual([
    400,
    `'Two Of' is not a name for a script`,
  ])
  expect(await save(good?.id, { inputSchema: 'none' })).toEqual([
    400,
    expect.stringContaining('The input schema is not JSON'),
  ])
  expect(await save(failed?.id)).toEqual([404, expect.stringContaining('does not have the script')])
  await visitAsOwner(`/scripts?run=${failed?.id}`, async (page) => {
    await page.getByText('SCRIPT_FAILED').first().waitFor()
    expect(await page.getByText('Save as a tool').count()).toBe(0)
  })
  await visitAsOwner(`/scripts?run=${good?.id}`, async (page) => {
    const form = page.getByRole('region', { name: 'Save as a tool' })
    await form.getByText(`'two of ' + input.text`).waitFor()
    await form.getByLabel('Name').fill('two_of')
    await form.getByLabel('What it does').fill('Says two of it')
    const schema = form.getByLabel('Input schema')
    await schema.fill('{ "type": "object", "properties": { "text": { "type": "string" } } }')
    expect(await gravely(page)).toEqual([])
    await form.getByRole('button', { name: 'Propose' }).click()
    const details = page.getByRole('dialog')
    await details.getByText('proposed').waitFor()
    await details.getByText('Says two of it').waitFor()
    await details.getByRole('button', { name: 'Approve' }).click()
    await details.getByText('approved', { exact: true }).waitFor()
  })
  const twoOf = async () =>
    structured(await execute(gateway.ada, 'scripts', 'two_of', { text: 'x' }))['result']
  await expect.poll(twoOf).toBe('two of x')
  const lines = () =>
    auditOf(gateway)
      .filter(({ operation }) => operation === 'dashboard')
      .map(({ metadata, agent_id: agent }) => [
        agent,
        Object(metadata).tool,
        JSON.parse(Object(metadata).arguments ?? '{}').script,
      ])
  await expect.poll(lines).toContainEqual([expect.any(String), 'scripts.propose', 'two_of'])
  await expect.poll(lines).toContainEqual([expect.any(String), 'scripts.approve', 'two_of'])
  // What people do here is no run of a script.
  expect((await runs()).map(({ operation }) => operation)).not.toContain('dashboard')
})
