import { expect, it } from 'vitest'
import { gravely } from '../support/dashboard/axe.ts'
import { runCli } from '../support/run-cli.ts'
import { startGateway } from '../support/gateway.ts'
import { useSite } from '../support/dashboard/visit.ts'
import { type Later, tempFolder } from '../support/temp-folder.ts'

const RULES = '{\n  // mine\n  "agents": { "ada": { "allow": { "servers": ["*"] } } }\n}\n'
const NAME = '.mcp-gateway-rules.json'

const site = useSite(async (later: Later) => {
  const folder = tempFolder(later)
  folder.write('.mcp.json', { mcpServers: {} })
  folder.write(NAME, RULES)
  return { ...(await startGateway(folder, [], {}, later)), folder }
})

it('shows what was changed by hand and by commands, and restores a version', async () => {
  const { gateway, visit, visitAsOwner } = site()
  const { folder } = gateway
  folder.write(NAME, RULES.replace('mine', 'ours'))
  const history = async () => (await runCli(folder, ['history'])).stdout
  await expect.poll(history, { timeout: 30_000 }).toContain('changed by hand')
  expect((await runCli(folder, ['server', 'add', 'one', '--no-test', '--', 'one-mcp'])).code).toBe(
    0,
  )
  await visit('/history', async (page) => {
    await page.getByText('server add one').waitFor()
    expect(await page.getByRole('button', { name: /^Back to/ }).count()).toBe(0)
  })
  await visitAsOwner('/history', async (page) => {
    await page.getByText('server add one').waitFor()
    await page.getByText('1 file changed').last().click()
    await page.getByRole('region', { name: /rules/ }).getByText('+  // ours').waitFor()
    expect(await gravely(page)).toEqual([])
    await page.getByRole('button', { name: 'Back to 1' }).click()
    await page.getByRole('button', { name: 'Restore version 1' }).click()
    await page.getByText('back to version 1').waitFor()
    expect(folder.read(NAME)).toBe(RULES)
    expect(folder.read('data/mcp.json')).toBe('')
  })
})
