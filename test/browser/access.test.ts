import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createUsers } from '../../src/identity/incoming/accounts/users.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { gravely } from '../support/dashboard/axe.ts'
import { useSite } from '../support/dashboard/visit.ts'
import { DashboardPerson } from '../support/sign-in/dashboard-person.ts'
import { startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'
import { useToken } from '../support/sign-in/oauth-client.ts'
import type { Later } from '../support/temp-folder.ts'

const PASSWORD = 'correct horse battery'

const site = useSite(async (later: Later) => {
  const gateway = await startWithSignIn({ auth: { adminGroups: ['platform'] } }, { later })
  const storage = await openStorage({ home: gateway.folder.file('data') })
  const users = createUsers(storage)
  await users.save({ name: 'eve', groups: ['platform'], role: 'agent' }, PASSWORD)
  await users.save({ name: 'tom', groups: [], role: 'agent' }, PASSWORD)
  await storage.close()
  return gateway
})

async function findings(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await gravely(page)))
  }
  return found
}

async function signIn(page: Page, user: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with your account' }).click()
  await page.getByLabel('Name').fill(user)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Of the newest key of the agent that this file makes keys for. */
function revoke(page: Page) {
  return page.getByRole('button', { name: /^Revoke key \w+ of bot$/ }).first()
}

it('signs in with a name, makes and revokes a key, ends a session, and signs out', async () => {
  const { gateway, browser } = site()
  const page = await browser.newPage()
  page.setDefaultTimeout(20_000)
  const tom = await new DashboardPerson(gateway.url).byPassword('tom', PASSWORD)
  await page.goto(`${gateway.url}/access`)
  await page.getByRole('button', { name: 'Sign in with your account' }).waitFor()
  expect(await findings(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign in with your account' }).click()
  await page.getByRole('heading', { name: 'Sign in to Portolan' }).waitFor()
  expect(await findings(page)).toEqual([])
  await page.getByLabel('Name').fill('eve')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  // Back on the page that was asked for.
  await page.getByRole('heading', { name: 'Access' }).waitFor()
  await page.locator('.who', { hasText: 'Admin · eve' }).waitFor()

  await page.getByRole('textbox', { name: 'Agent' }).fill('bot')
  await page.getByRole('button', { name: 'Create key' }).click()
  const secret = await page.locator('.new-key code').innerText()
  expect((await useToken(`${gateway.url}/mcp`, secret)).status).toBe(200)
  await revoke(page).waitFor()
  expect(await findings(page)).toEqual([])
  await page.reload()
  await revoke(page).waitFor()
  expect(await page.content()).not.toContain(secret)
  await revoke(page).click()
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await page.getByText(/of bot is revoked$/).waitFor()
  expect((await useToken(`${gateway.url}/mcp`, secret)).status).toBe(401)

  expect((await tom.ask('GET /me')).status).toBe(200)
  // The newest stands first.
  await page.getByRole('button', { name: 'End the session of tom: dashboard' }).first().click()
  await page.getByText('The session of tom has ended').waitFor()
  expect((await tom.ask('GET /me')).status).toBe(401)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in with your account' }).waitFor()
  await page.context().close()
})

it('shows people without a role their own things, and nothing else', async () => {
  const { gateway, browser } = site()
  const page = await browser.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(gateway.url)
  await signIn(page, 'tom')
  await page.getByRole('heading', { name: 'Connections' }).waitFor()
  expect(await page.locator('nav a').allInnerTexts()).toEqual([
    expect.stringContaining('Connections'),
    expect.stringContaining('Approvals'),
    expect.stringContaining('Access'),
  ])
  await page.getByRole('link', { name: 'Approvals' }).click()
  await page.getByText('No call has waited for approval').waitFor()
  expect(await findings(page)).toEqual([])
  await page.getByRole('link', { name: 'Access' }).click()
  await page.getByText('this one').waitFor()
  expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0)
  expect(await findings(page)).toEqual([])
  const own = page.getByRole('row').filter({ hasText: 'this one' })
  await own.getByRole('button', { name: 'End the session of tom: dashboard' }).click()
  await page.getByRole('button', { name: 'Sign in with your account' }).waitFor()
  await page.context().close()
})
