import { expect, it } from 'vitest'
import { createUsers } from '../../src/identity/incoming/accounts/users.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { gravely } from '../support/dashboard/axe.ts'
import { openPage } from '../support/dashboard/a-page.ts'
import { useSite } from '../support/dashboard/visit.ts'
import { startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'
import type { Later } from '../support/temp-folder.ts'

const PASSWORD = 'correct horse battery'

const site = useSite(async (later: Later) => {
  const gateway = await startWithSignIn({}, { later })
  const storage = await openStorage({ home: gateway.folder.file('data') })
  await createUsers(storage).save({ name: 'olga', groups: [], role: 'admin' }, PASSWORD)
  await storage.close()
  return gateway
})

it.each([
  { name: 'tom', width: 1440, scheme: 'light' },
  { name: 'zoe', width: 390, scheme: 'dark' },
] as const)(
  'an admin invites $name, who chooses a password and signs in, without a mouse',
  async ({ name, ...options }) => {
    const { gateway, browser } = site()
    const { page, close } = await openPage(browser, options)
    await page.goto(`${gateway.url}/oauth/sign-in/dashboard`)
    await page.getByLabel('Name').focus()
    await page.keyboard.type('olga')
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.locator('.who', { hasText: 'olga' }).waitFor({ state: 'attached' })
    await page.goto(`${gateway.url}/access`)
    await page.getByLabel('Name or e-mail address').focus()
    await page.keyboard.type(name)
    await page.keyboard.press('Tab')
    await page.keyboard.type('crew, night')
    await page.keyboard.press('Tab')
    await page.keyboard.type('viewer')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const link = await page.locator('.new-key code', { hasText: '/invitation?code=' }).innerText()
    const row = page.getByRole('row').filter({ hasText: name })
    await row.getByText('invited').waitFor()
    expect(await gravely(page)).toEqual([])

    const guest = await openPage(browser, options)
    await guest.page.goto(link)
    await guest.page.getByLabel('Password, at least').focus()
    await guest.page.keyboard.type(PASSWORD)
    await guest.page.keyboard.press('Tab')
    await guest.page.keyboard.type('something else')
    await guest.page.keyboard.press('Enter')
    await guest.page.getByText('The two passwords are not the same').waitFor()
    expect(await gravely(guest.page)).toEqual([])
    await guest.page.getByLabel('Password, at least').fill(PASSWORD)
    await guest.page.getByLabel('The password again').fill(PASSWORD)
    await guest.page.keyboard.press('Enter')
    await guest.page.getByRole('heading', { name: 'Overview' }).waitFor()
    await guest.page.goto(link)
    await guest.page.getByText('This invitation is not valid').waitFor()

    await row.getByText('active').waitFor()
    await page.getByRole('button', { name: `Edit groups and role of ${name}` }).press('Enter')
    await page.getByLabel('Groups, separated by commas').last().fill('crew')
    await page.keyboard.press('Enter')
    await page.getByText(`${name} has these groups`).waitFor()
    await page.getByRole('button', { name: `Disable ${name}` }).press('Enter')
    await page.getByRole('heading', { name: `Disable ${name}?` }).waitFor()
    expect(await gravely(page)).toEqual([])
    await page
      .getByRole('button', { name: `Disable ${name}` })
      .last()
      .press('Enter')
    await row.getByText('disabled').waitFor()
    await guest.page.goto(gateway.url)
    await guest.page.getByRole('button', { name: 'Sign in with your account' }).waitFor()
    await guest.close()
    await page.goto(`${gateway.url}/audit?text=users`)
    await page.getByText(`disabled user ${name}`).first().waitFor()
    expect(await gravely(page)).toEqual([])
    await close()
  },
)
