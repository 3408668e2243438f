import { expect, it } from 'vitest'
import { DashboardPerson } from '../../../../test/support/sign-in/dashboard-person.ts'
import { OAuthClient } from '../../../../test/support/sign-in/oauth-client.ts'
import { openSignIn } from '../../../../test/support/sign-in/open-sign-in.ts'

it('says on both pages how long to wait after too many attempts', async () => {
  const { url, users } = await openSignIn()
  await users.save({ name: 'eve', groups: [], role: 'agent' }, 'correct horse battery')
  const wrong = { action: 'password', user: 'eve', password: 'wrong' }
  const person = new DashboardPerson(url)
  const page = await person.open()
  for (let n = 0; n < 10; n++) expect((await person.browser.submit(page, wrong)).status).toBe(400)
  const client = await new OAuthClient(url).register()
  for (const refused of [
    await person.browser.submit(page, wrong),
    await client.browser.submit(await client.open(), wrong),
  ]) {
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.text).toContain('Too many attempts for this name')
  }
})
