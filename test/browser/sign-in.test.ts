import { expect, it } from 'vitest'
import { createFileKeyStore } from '../../src/identity/file-key-store.ts'
import { identityFiles } from '../../src/identity/identity-files.ts'
import { startGateway } from '../support/gateway.ts'
import { stdioUpstream } from '../support/start.ts'
import { type Later, tempFolder } from '../support/temp-folder.ts'
import { useSite } from '../support/dashboard/visit.ts'

const SECRET = 'sk-ant-api03-harbour-master-0123456789abcdef'

const site = useSite(startLockedGateway)

/** A gateway that asks for keys, with a secret among its servers' settings. */
async function startLockedGateway(later: Later) {
  const folder = tempFolder(later)
  folder.write('.mcp.json', {
    mcpServers: {
      files: { ...stdioUpstream('--name', 'files'), env: { API_TOKEN: SECRET } },
      remote: {
        url: `http://127.0.0.1:9/mcp?token=${SECRET}`,
        headers: { authorization: `Bearer ${SECRET}` },
      },
    },
  })
  folder.write('portolan.yaml', { auth: { required: true } })
  const keys = createFileKeyStore(identityFiles(folder.file('data')).keys)
  const admin = await keys.create('harbour', { role: 'admin' })
  const viewer = await keys.create('lookout', { role: 'viewer' })
  const gateway = await startGateway(folder, [], {}, later)
  return { ...gateway, admin: admin.secret, viewer: viewer.secret }
}

it('asks for a key, says what is wrong with a bad one, and lets a good one in and out', async () => {
  const { gateway, browser } = site()
  const page = await browser.newPage()
  await page.goto(`${gateway.url}/servers`)
  const key = page.getByLabel('Key', { exact: true })
  await key.fill('not-a-key')
  await key.press('Enter')
  await page.getByRole('alert').waitFor()
  await key.fill(gateway.admin)
  await key.press('Enter')
  await page.getByRole('heading', { name: 'Servers' }).waitFor()
  await page.locator('.who', { hasText: 'Admin' }).waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'files' }).waitFor()
  expect(await page.evaluate('JSON.stringify([localStorage, document.cookie])')).not.toContain(
    gateway.admin,
  )
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Key', { exact: true }).waitFor()
  await page.context().close()
})

it('lets a viewer look, and offers nothing that only an administrator may do', async () => {
  const { gateway, browser } = site()
  const page = await browser.newPage()
  await page.goto(`${gateway.url}/config`)
  await page.getByLabel('Key', { exact: true }).fill(gateway.viewer)
  await page.getByLabel('Key', { exact: true }).press('Enter')
  await page.locator('.who', { hasText: 'Read-only' }).waitFor()
  await page.locator('tbody tr').first().waitFor()
  expect(await page.getByRole('button', { name: 'Reload now' }).count()).toBe(0)
  await page.context().close()
})

it('renders no secret of a configuration on any page', async () => {
  const { gateway, browser } = site()
  const page = await browser.newPage()
  const seen: string[] = []
  page.on('response', (response) => {
    if (!response.url().includes('/calls/stream'))
      void response.text().then(
        (text) => seen.push(text),
        () => undefined,
      )
  })
  await page.goto(gateway.url)
  await page.getByLabel('Key', { exact: true }).fill(gateway.admin)
  await page.getByLabel('Key', { exact: true }).press('Enter')
  await page.locator('.who', { hasText: 'Admin' }).waitFor()
  for (const path of [
    '/servers?server=remote',
    '/servers?server=files',
    '/config',
    '/agents',
    '/audit',
  ]) {
    await page.goto(gateway.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('load')
    await page.waitForTimeout(300)
    seen.push(await page.content())
  }
  expect(seen.join('\n')).toContain('remote')
  expect(seen.join('\n')).not.toContain('harbour-master')
  await page.context().close()
})
