import { expect, it } from 'vitest'
import { openPage } from '../support/dashboard/a-page.ts'
import { useSite } from '../support/dashboard/visit.ts'
import { startGateway } from '../support/gateway.ts'
import { type Later, tempFolder } from '../support/temp-folder.ts'

const site = useSite(startEmptyGateway)

async function startEmptyGateway(later: Later) {
  const folder = tempFolder(later)
  folder.write('.mcp.json', { mcpServers: {} })
  folder.write('portolan.yaml', { builtins: { code: false, knowledge: false, traces: false } })
  return startGateway(folder, [], {}, later)
}

it.each([
  ['/', 'Nobody called anything yet'],
  ['/', 'portolan adopt'],
  ['/calls', 'portolan connect claude-code'],
  ['/servers', 'portolan import'],
  ['/connections', 'No server that you could sign in to'],
  ['/agents', 'every agent may call everything'],
  ['/playground', 'Name an agent and a server'],
  ['/audit', 'Calls are written here as they end'],
  ['/config', 'None since the start'],
  ['/code', '"builtin": "code"'],
  ['/knowledge', '"builtin": "knowledge"'],
  ['/traces', '"builtin": "traces"'],
])('says on %s what to do where there is nothing yet', async (path, words) => {
  await site().visit(path, async (page) => {
    await page.locator('main').getByText(words).first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})

it('says that the gateway is gone, keeps what it showed, and goes on when it is back', async () => {
  const { gateway, browser } = site()
  const { page, close } = await openPage(browser)
  await page.goto(`${gateway.url}/servers`)
  await page.getByText('portolan import').waitFor()
  await page.context().setOffline(true)
  await page.getByRole('alert').getByText('The gateway does not answer').waitFor()
  expect(await page.getByText('portolan import').count()).toBe(1)
  await page.context().setOffline(false)
  await page.getByRole('alert').waitFor({ state: 'detached' })
  await close()
})
