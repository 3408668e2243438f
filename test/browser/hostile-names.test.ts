import { join } from 'node:path'
import { expect, it } from 'vitest'
import { execute } from '../support/clients/talk.ts'
import { openHttp } from '../support/clients/wires.ts'
import { useSite } from '../support/dashboard/visit.ts'
import { startGateway } from '../support/gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { type Later, tempFolder } from '../support/temp-folder.ts'

const HOSTILE = join(import.meta.dirname, '../support/hostile-names.mjs')
const LONG = 'a-very-long-server-name-'.repeat(4)

const site = useSite(startHostile)

async function startHostile(later: Later) {
  const folder = tempFolder(later)
  const server = { command: process.execPath, args: [HOSTILE] }
  folder.write('.mcp.json', { mcpServers: { hostile: server, [LONG]: server } })
  folder.write('portolan.yaml', { builtins: { code: false, knowledge: false, traces: false } })
  const gateway = await startGateway(folder, [], {}, later)
  const client = await openHttp('legacy', `${gateway.url}/mcp`)
  later(async () => client.close())
  await execute(client, 'hostile', '\u202Eelif_eteled')
  // Such names hold a new server until a person accepts it.
  for (const name of ['hostile', LONG])
    await runBuilt(folder, ['server', 'review', name, '--accept'])
  await execute(client, 'hostile', '\u202Eelif_eteled')
  await execute(client, LONG, 'tool'.repeat(60))
  return gateway
}

it.each([
  '/',
  '/calls',
  '/audit',
  '/servers?server=hostile&tab=tools',
  '/playground?agent=a&server=hostile',
])('%s writes out the characters that make a name look like another', async (path) => {
  await site().visit(path, async (page) => {
    await page
      .getByText(String.raw`\u{202e}elif_eteled`)
      .first()
      .waitFor()
    expect(await page.locator('main').innerText()).not.toContain('\u202E')
  })
})

it.each(['/servers?server=hostile&tab=tools', '/playground?agent=a&server=hostile'])(
  '%s shows the columns beside a tool with a long name',
  async (path) => {
    await site().visit(path, async (page) => {
      const table = page.locator('.table-box[aria-label="Tools of hostile"]')
      await table.waitFor()
      expect(await table.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
    })
  },
)

it.each(['/', '/calls', '/audit', '/servers', '/agents', '/config'])(
  '%s fits a small screen whatever the names',
  async (path) => {
    await site().visit(
      path,
      async (page) => {
        await page
          .getByText(/hostile|portolan\.yaml/)
          .first()
          .waitFor({ state: 'attached' })
        const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect(over).toBe(0)
      },
      { width: 390, height: 844 },
    )
  },
)

it('the audit keeps its place while the filter "Last hour" is on and time passes', async () => {
  await site().visit('/audit?last=60', async (page) => {
    await page.clock.install()
    await page.reload()
    await page.locator('.virtual-body .virtual-row').first().waitFor()
    let asked = 0
    page.on('request', (request) => {
      if (request.url().includes('/audit?')) asked += 1
    })
    await page.clock.fastForward('02:00')
    await page.locator('.virtual-body .virtual-row').first().click()
    await page.getByRole('dialog').getByText('Call id').waitFor()
    await page.clock.runFor(1_000)
    expect(asked).toBe(0)
  })
})
