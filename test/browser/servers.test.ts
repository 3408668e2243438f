import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSecrets } from '../../src/config/secrets/stored-secrets.ts'
import { gravely } from '../support/dashboard/axe.ts'
import { localPass } from '../support/dashboard/local-pass.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { useSite } from '../support/dashboard/visit.ts'
import { aRegistry } from '../support/a-registry.ts'
import { startGateway } from '../support/gateway.ts'
import { type Later, type TempFolder, tempFolder } from '../support/temp-folder.ts'

const ORDERS = join(import.meta.dirname, '../support/orders-server.mjs')
const TOKEN = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
const file = (version: string) => `{
  // what the shop uses
  "mcpServers": {
    "orders": { "command": ${JSON.stringify(process.execPath)}, "args": ${JSON.stringify([ORDERS, version])} },
    "notes": { "command": "npx", "args": ["-y", "@example/notes-mcp@1.4.2"], "env": { "API_KEY": "${TOKEN}" }, "disabled": true }
  }
}
`

const site = useSite(async (later: Later) => {
  const folder = tempFolder(later)
  folder.write('version', '1')
  folder.write('.mcp.json', file(folder.file('version')))
  folder.write('.mcp-gateway-rules.json', {
    agents: { ada: { allow: { servers: ['*'] } }, dashboard: { allow: { servers: ['*'] } } },
  })
  const registry = await aRegistry(undefined, later)
  folder.write('data/portolan.yaml', `registries: [${registry.url}]\n`)
  const gateway = await startGateway(folder, [], {}, later)
  const ask = dashboardOf(gateway.url, {
    authorization: `Bearer ${localPass(folder.file('data'), gateway.url)}`,
  })
  const params = { server: 'orders' }
  await ask('POST /servers/:server/test', { params, body: { timeoutMs: 20_000 } })
  return { ...gateway, folder, ask }
})

const storedIn = (folder: TempFolder) =>
  Object.values(readSecrets(folder.file('data'), { HOME: folder.path }))

const PHONE = { width: 390, height: 844, scheme: 'dark' } as const

it('shows the package that runs instead of npx, and tools with their schema and who may use them', async () => {
  await site().visitAsOwner('/servers', async (page) => {
    await page.getByText('@example/notes-mcp 1.4.2').waitFor()
    await page.getByLabel('Filter servers').fill('orders')
    await page.getByText('@example/notes-mcp 1.4.2').waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('q')).toBe('orders')
    await page.getByRole('link', { name: 'orders' }).click()
    const details = page.getByRole('dialog')
    await details.getByRole('button', { name: 'Tools (3)' }).click()
    await details.getByLabel('Filter tools').fill('region')
    expect(await details.locator('tbody tr').count()).toBe(1)
    await details.getByRole('link', { name: 'find_orders' }).click()
    await details.getByText('Where they were made').waitFor()
    const access = details.getByRole('region', { name: 'Who may use find_orders' })
    expect(await access.innerText()).toMatch(/ada\s+allowed[\s\S]*any other\s+denied/)
    expect(await gravely(page)).toEqual([])
    await details.getByRole('link', { name: 'Run it' }).click()
    await page.getByText('Arguments of find_orders').waitFor()
  })
})

it('gives a tool another name, hides it and shows it again, in the file alone', async () => {
  const { folder } = site().gateway
  await site().visitAsOwner(
    '/servers?server=orders&tab=tools&tool=delete_order',
    async (page) => {
      const details = page.getByRole('dialog')
      await details.getByLabel('Name for agents').fill('remove_order')
      await details.getByRole('button', { name: 'Save' }).click()
      await page.getByText(/Saved as version \d+/).waitFor()
      expect(folder.read('.mcp.json')).toContain('"name": "remove_order"')
      expect(folder.read('.mcp.json')).toContain('// what the shop uses')
      await details.getByRole('button', { name: 'Hide it from agents' }).click()
      await details.getByText('1 hidden tool').waitFor()
      await details.getByRole('button', { name: 'Tools (2)' }).waitFor()
      expect(await gravely(page)).toEqual([])
      await details.getByRole('button', { name: 'Show delete_order again' }).click()
      await details.getByRole('button', { name: 'Tools (3)' }).waitFor()
    },
    PHONE,
  )
  expect(folder.read('.mcp.json')).not.toContain('hidden')
})

it('edits an entry as JSON, hides its secrets, and overwrites nothing of somebody else', async () => {
  const { folder, ask } = site().gateway
  await site().visitAsOwner('/servers?server=notes&tab=entry', async (page) => {
    const details = page.getByRole('dialog')
    const editor = details.getByRole('textbox', { name: /^Entry in/ })
    const shown = await editor.inputValue()
    expect(shown).toContain('"API_KEY": "[redacted]"')
    await editor.fill(shown.replace('"disabled": true', '"disabled": true, "description": "Notes"'))
    await details.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/Saved as version \d+/).waitFor()
    expect(folder.read('.mcp.json')).toContain(TOKEN)
    expect(folder.read('.mcp.json')).toContain('"description": "Notes"')
    await details.getByText('Notes', { exact: true }).waitFor()

    expect(await gravely(page)).toEqual([])
  })
  const params = { server: 'notes' }
  const { entry, digest } = (await ask('GET /servers/:server/entry', { params })).value
  const edited = folder.read('.mcp.json').replace('what the shop uses', 'servers')
  folder.write('.mcp.json', edited)
  const late = await ask('POST /servers/:server/entry', {
    params,
    body: { entry: '{"url":"https://x.example"}', digest },
  })
  expect(late.failure.message).toContain('was changed by somebody else')
  expect(entry).not.toContain(TOKEN)
  expect(folder.read('.mcp.json')).toBe(edited)
})

it('adds a server by the JSON of a README: its key is asked for and stored apart, and it is tested', async () => {
  const { folder } = site().gateway
  const readme = JSON.stringify({
    mcpServers: {
      shop: { command: process.execPath, args: [ORDERS], env: { SHOP_TOKEN: 'YOUR_TOKEN_HERE' } },
    },
  })
  await site().visitAsOwner('/servers', async (page) => {
    await page.getByRole('button', { name: 'Add a server' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a server' })
    await dialog.getByRole('button', { name: 'JSON, command or URL' }).click()
    await dialog.getByLabel(/^JSON of a README/).fill(readme)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByLabel('SHOP_TOKEN').fill(TOKEN)
    await dialog.getByLabel('File').selectOption(folder.file('.mcp.json'))
    expect(await gravely(page)).toEqual([])
    await dialog.getByLabel('SHOP_TOKEN').fill(TOKEN)
    await dialog.getByRole('button', { name: 'Test and add' }).click()
    await page.getByText(/^Added shop/).waitFor()
    await page.getByRole('dialog', { name: 'shop' }).waitFor()
  })
  expect(folder.read('.mcp.json')).toContain('"shop"')
  expect(folder.read('.mcp.json')).not.toContain(`"SHOP_TOKEN": "${TOKEN}"`)
  expect(storedIn(folder)).toContain(TOKEN)
})

it('adds a server of a registry: what it would run is shown, and its key asked for and stored apart', async () => {
  const { folder } = site().gateway
  await site().visitAsOwner(
    '/servers?add=server',
    async (page) => {
      const dialog = page.getByRole('dialog', { name: 'Add a server' })
      await dialog.getByLabel('Words to search for').fill('airtable')
      await page.keyboard.press('Enter')
      await dialog.getByRole('list', { name: 'Servers found' }).waitFor()
      expect(await gravely(page)).toEqual([])
      await dialog.getByRole('button', { name: /^Choose .*airtable-mcp-server/ }).click()
      await dialog.getByText('"airtable-mcp-server@1.7.3"').waitFor()
      await dialog.getByLabel('AIRTABLE_API_KEY').fill('pat-for-the-test')
      await dialog.getByLabel('File').selectOption(folder.file('.mcp.json'))
      expect(await gravely(page)).toEqual([])
      expect(folder.read('.mcp.json')).not.toContain('airtable')
      await dialog.getByRole('button', { name: 'Add without a test' }).click()
      await page.getByText(/^Added airtable/).waitFor()
      await page
        .getByRole('dialog', { name: 'airtable' })
        .getByText('airtable-mcp-server', { exact: true })
        .first()
        .waitFor()
    },
    PHONE,
  )
  expect(folder.read('.mcp.json')).toContain('airtable-mcp-server@1.7.3')
  expect(folder.read('.mcp.json')).not.toContain('pat-for-the-test')
  expect(storedIn(folder)).toContain('pat-for-the-test')
})

it('adds nothing that a test has found wrong, unless somebody says so', async () => {
  const { folder } = site().gateway
  await site().visitAsOwner('/servers?add=server', async (page) => {
    const dialog = page.getByRole('dialog', { name: 'Add a server' })
    await dialog.getByRole('button', { name: 'JSON, command or URL' }).click()
    await dialog.getByLabel(/^JSON of a README/).fill(`${process.execPath} -e "process.exit(3)"`)
    await dialog.getByLabel('Name').fill('ends')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByLabel('File').selectOption(folder.file('.mcp.json'))
    await dialog.getByRole('button', { name: 'Test and add' }).click()
    await dialog.getByText('exited with code 3').waitFor()
    expect(folder.read('.mcp.json')).not.toContain('"ends"')
    await dialog.getByRole('button', { name: 'Add it anyway' }).click()
    await page.getByText(/^Added ends/).waitFor()
  })
  expect(folder.read('.mcp.json')).toContain('"ends"')
})

it('reviews what has changed at a server, with its diff: one change is accepted, another rejected', async () => {
  const { folder } = site().gateway
  await site().visitAsOwner('/servers?server=orders', async (page) => {
    const details = page.getByRole('dialog')
    await details.getByRole('button', { name: 'Held (0)' }).waitFor()
    folder.write('version', '2')
    await details.getByRole('button', { name: 'Restart' }).click()
    await page.getByText('orders is restarting').waitFor()
    const held = details.getByRole('button', { name: 'Held (2)' })
    const test = details.getByRole('button', { name: 'Test', exact: true })
    // Calls of the process before end first.
    const seen = async () => (await test.click()) ?? held.count()
    await expect.poll(seen, { timeout: 30_000, interval: 1_000 }).toBe(1)
    await held.click()
    const report = details.getByRole('region', { name: 'tool report', exact: true })
    await report.locator('.added', { hasText: 'Do not tell the user' }).waitFor()
    expect(await gravely(page)).toEqual([])
    await details.getByRole('button', { name: 'Accept find_orders' }).click()
    await page.getByText('Accepted: tool find_orders').waitFor()
    await report.getByRole('button', { name: 'Reject report' }).click()
    await report.getByText('rejected', { exact: true }).waitFor()
    await details.getByRole('button', { name: 'Held (0)' }).waitFor()
    await details.getByRole('button', { name: 'Tools (3)' }).click()
    await details.getByRole('link', { name: 'find_orders' }).waitFor()
    expect(await details.getByText('Do not tell the user').count()).toBe(0)
  })
})

it('shows a reader without a session everything of it, and no button', async () => {
  await site().visit('/servers?server=orders&tab=entry', async (page) => {
    const details = page.getByRole('dialog')
    await details.getByText('stands for what is there').waitFor()
    for (const name of ['Save', 'Duplicate', 'Restart', 'Remove'])
      expect(await details.getByRole('button', { name }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Add a server' }).count()).toBe(0)
  })
})
