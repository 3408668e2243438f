import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { execute } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { gravely } from '../support/dashboard/axe.ts'
import { useSite } from '../support/dashboard/visit.ts'
import { startGateway } from '../support/gateway.ts'
import { stdioUpstream } from '../support/start.ts'
import { type Later, tempFolder } from '../support/temp-folder.ts'

const site = useSite(async (later: Later) => {
  const folder = tempFolder(later)
  folder.write('.mcp.json', { mcpServers: { files: stdioUpstream('--name', 'files') } })
  const gateway = await startGateway(folder, [], {}, later)
  for (const agent of ['ada', 'bob']) {
    const client = await openHttp('legacy', `${gateway.url}/mcp`, { 'x-agent-id': agent })
    await execute(client, 'files', 'echo', { text: 'hello' })
    await client.close()
  }
  return { ...gateway, folder }
})

it.each([
  { width: 1440, scheme: 'light' },
  { width: 390, scheme: 'dark' },
] as const)('exports what the filters of the audit page show, at $width, $scheme', async (look) => {
  await site().visitAsOwner(
    '/audit?agent=ada',
    async (page) => {
      await page.locator('.virtual-body .virtual-row', { hasText: 'files' }).first().waitFor()
      expect(await gravely(page)).toEqual([])
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: /JSON/ }).click(),
      ])
      const lines = readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\n')
      expect(lines.length).toBeGreaterThan(0)
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ agent_id: 'ada' })
      await page.goto(`${site().gateway.url}/audit?kind=changes`)
      await page.getByText('exported the audit record as jsonl').first().waitFor()
    },
    look,
  )
})

it('shows a page of its own at an address that does not exist, to browsers alone', async () => {
  const { gateway, browser } = site()
  const page = await browser.newPage()
  const answer = await page.goto(`${gateway.url}/harbour`)
  expect(answer?.status()).toBe(404)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  expect(await gravely(page)).toEqual([])
  await page.getByRole('link', { name: 'Back to the overview' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.close()
  const program = await fetch(`${gateway.url}/harbour`)
  expect(program.headers.get('content-type')).toContain('application/json')
})
