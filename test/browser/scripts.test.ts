import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { call, execute, structured } from '../support/clients/talk.ts'
import { gravely } from '../support/dashboard/axe.ts'
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
  const { gateway, visit } = site()
  const both = async () => structured(await execute(gateway.ada, 'scripts', 'both'))['result']
  expect(await both()).toBeUndefined()
  await visit('/scripts', async (page) => {
    await page.getByRole('row', { name: /both 1 proposed ada/ }).waitFor()
    expect(await gravely(page)).toEqual([])
    await page.getByRole('button', { name: 'both' }).click()
    const details = page.getByRole('dialog')
    await details.getByText('tools.files.echo').waitFor()
    expect(await gravely(page)).toEqual([])
    await details.getByRole('button', { name: 'Approve' }).click()
    await details.getByText('active').waitFor()
  })
  await expect.poll(both).toBe('ab')

  await gateway.run({ code: `(await tools.scripts.both({})).result` })
  await visit('/scripts', async (page) => {
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
