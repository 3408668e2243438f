import { expect, it, vi } from 'vitest'
import { createUsers } from '../../src/identity/incoming/accounts/users.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { auditOf } from '../support/audit-of.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { Browser } from '../support/sign-in/browser.ts'
import { DashboardPerson } from '../support/sign-in/dashboard-person.ts'
import { useToken } from '../support/sign-in/oauth-client.ts'
import { startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'

const PASSWORD = 'correct horse battery'

async function aTeam() {
  const gateway = await startWithSignIn()
  const storage = await openStorage({ home: gateway.folder.file('data') })
  const users = createUsers(storage)
  await users.save({ name: 'olga', groups: [], role: 'admin' }, PASSWORD)
  await users.save({ name: 'vic', groups: [], role: 'viewer' }, PASSWORD)
  await storage.close()
  const olga = await new DashboardPerson(gateway.url).byPassword('olga', PASSWORD)
  return { ...gateway, olga }
}

it('an admin invites a person, who chooses a password; changes their rights, and ends them', async () => {
  const { url, olga, keys, folder } = await aTeam()
  const body = { name: 'tom', groups: ['crew'], role: 'agent' } as const
  const invited = await olga.ask('POST /users', { body })
  expect(invited.value.link).toContain(`${url}/oauth/sign-in/dashboard/invitation?code=`)
  expect((await olga.ask('POST /users', { body })).failure.code).toBe('USER_EXISTS')

  const browser = new Browser()
  const page = await browser.open(invited.value.link, url)
  expect(page.text).toContain('<strong>tom</strong>')
  const choose = async (password: string, again = password) =>
    browser.submit(page, { password, again })
  expect((await choose('short')).text).toContain('too short')
  expect((await choose(PASSWORD, `${PASSWORD}x`)).text).toContain('not the same')
  const foreign = await new Browser().submit(page, { password: PASSWORD, again: PASSWORD })
  expect(foreign.text).toContain('did not come from this page')
  expect((await choose(PASSWORD)).url.pathname).toBe('/')
  const again = await new Browser().open(invited.value.link, url)
  expect(again).toMatchObject({ status: 410, text: expect.stringContaining('has been used') })

  const cookie = `portolan_key=${browser.cookie('portolan_key') ?? ''}`
  const tom = dashboardOf(url, { cookie })
  expect((await tom('GET /me')).value).toMatchObject({ role: 'agent', agent: 'tom' })
  expect((await tom('GET /overview')).status).toBe(403)
  const params = { user: 'tom' }
  await olga.ask('POST /users/:user', { params, body: { groups: [], role: 'viewer' } })
  expect((await tom('GET /overview')).status, 'the same session has the new role').toBe(200)

  const { secret } = await keys.create('tom')
  expect((await useToken(`${url}/mcp`, secret)).status).toBe(200)
  expect((await olga.ask('POST /users/:user/disable', { params })).status).toBe(200)
  expect((await tom('GET /me')).status).toBe(401)
  expect((await useToken(`${url}/mcp`, secret)).status).toBe(401)
  const { users } = (await olga.ask('GET /users')).value
  expect(users?.find(({ name }) => name === 'tom')).toMatchObject({ state: 'disabled' })
  expect((await olga.ask('POST /users/:user/remove', { params })).status).toBe(200)
  expect((await olga.ask('POST /users/:user/remove', { params })).status).toBe(404)

  const changes = ['users.invite', 'users.change', 'users.disable', 'users.remove']
  await vi.waitFor(() => {
    const lines = auditOf({ folder }).map((line) => JSON.stringify(line))
    const found = changes.filter((change) =>
      lines.some((line) => line.includes(`"${change}"`) && line.includes('"agent_id":"olga"')),
    )
    expect(found).toEqual(changes)
    expect(lines.join()).not.toContain(invited.value.link.split('.').at(-1))
  }, 10_000)
})

it('nobody changes people who may only look, and no admin their own account', async () => {
  const { url, olga } = await aTeam()
  const vic = await new DashboardPerson(url).byPassword('vic', PASSWORD)
  const params = { user: 'olga' }
  const body = { groups: [], role: 'admin' } as const
  for (const { ask, status } of [
    { ask: vic.ask, status: 403 },
    { ask: olga.ask, status: 409 },
  ]) {
    expect((await ask('POST /users', { body: { ...body, name: 'olga' } })).status).toBe(status)
    expect((await ask('POST /users/:user', { params, body })).status).toBe(status)
    expect((await ask('POST /users/:user/disable', { params })).status).toBe(status)
    expect((await ask('POST /users/:user/remove', { params })).status).toBe(status)
  }
  expect((await vic.ask('GET /users')).status).toBe(403)
  const headers = { origin: 'https://evil.example' }
  const elsewhere = await olga.ask('POST /users/:user/remove', { params: { user: 'vic' }, headers })
  expect(elsewhere.status).toBe(403)
})
