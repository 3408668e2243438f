import { DashboardPerson } from '../../test/support/sign-in/dashboard-person.ts'
import { useToken } from '../../test/support/sign-in/oauth-client.ts'
import { LittleBrowser } from '../../test/support/little-browser.ts'
import { startMailServer } from '../../test/support/mail-server.ts'
import type { Attack, Field } from './report.ts'
import { Rig, until } from './rig.ts'
import { hostile } from './servers.ts'
import { PASSWORD, bearing, clientOf, createUser, users } from './users.ts'

/** Somebody gets the name of a person who was removed, or an old session meets a new password. */
export const recreatedPeople: Attack = {
  name: 're-created people',
  async run(field) {
    const ends: (() => unknown)[] = []
    const mail = await startMailServer((end) => void ends.push(end))
    const rig = await Rig.open({
      servers: {
        mail: { url: mail.url },
        keyed: hostile('none', { TOKEN: '${user.TOKEN}' }),
        open: hostile(),
      },
      settings: { auth: { required: true, server: { enabled: true } } },
      env: { PORTOLAN_KEYRING: 'off' },
    })
    try {
      await field.try('a new password ends everything, also of an admin', async () => {
        createUser(rig, 'ada', '--role', 'admin')
        const before = await everywhere(rig, 'ada')
        createUser(rig, 'ada')
        return hasEnded(rig, before)
      })
      createUser(rig, 'wim', '--role', 'admin')
      const before = await everywhere(rig, 'wim')
      await signInToMail(rig, before.dashboard)
      await before.dashboard.ask('POST /connections/keys', {
        body: { name: 'TOKEN', value: 'the-key-of-the-first-wim' },
      })
      await field.try('the first wim has his mail', async () =>
        (await rig.call('mail__whoami', {}, bearing(before.tokens.access_token))).includes(
          'you are wim',
        ),
      )
      for (const [name, opens] of Object.entries(ways(rig, before)))
        if (name !== 'refresh token') await field.try(`his ${name} works until then`, opens)
      users(rig, ['remove', 'wim'])
      createUser(rig, 'wim')
      await ended(field, rig, before)
      await inheritsNothing(field, rig)
    } finally {
      await rig.discard()
      for (const end of ends) await end()
    }
  },
}

/** A user with a client, its tokens, a browser and the dashboard. */
async function everywhere(rig: Rig, user: string) {
  const { client, tokens } = await clientOf(rig, user)
  const dashboard = await new DashboardPerson(rig.url).byPassword(user, PASSWORD)
  return { client, tokens, dashboard }
}

type Everywhere = Awaited<ReturnType<typeof everywhere>>

/** What still opens the gateway, once it has looked again. */
function ways(rig: Rig, { client, tokens, dashboard }: Everywhere) {
  const mcp = `${rig.url}/mcp`
  return {
    'access token': async () => (await useToken(mcp, tokens.access_token)).status !== 401,
    'dashboard session': async () => (await dashboard.ask('GET /me')).status !== 401,
    'refresh token': async () => (await client.refresh(tokens.refresh_token)).status === 200,
    browser: async () => !(await client.open()).text.includes('name="password"'),
  }
}

/** Whether it is closed within seconds; a refresh token at once, as each try uses it up. */
async function isClosed(opens: () => Promise<boolean>, name: string): Promise<boolean> {
  if (name === 'refresh token') return !(await opens())
  return (await until(async () => !(await opens()) || undefined, 10_000)) === true
}

async function hasEnded(rig: Rig, before: Everywhere): Promise<boolean> {
  const closed = await Promise.all(
    Object.entries(ways(rig, before)).map(async ([name, opens]) => isClosed(opens, name)),
  )
  return closed.every(Boolean)
}

async function ended(field: Field, rig: Rig, before: Everywhere): Promise<void> {
  for (const [name, opens] of Object.entries(ways(rig, before)))
    await field.try(`the ${name} of the first wim opens nothing`, async () => isClosed(opens, name))
}

async function inheritsNothing(field: Field, rig: Rig): Promise<void> {
  const { tokens } = await clientOf(rig, 'wim')
  const dashboard = await new DashboardPerson(rig.url).byPassword('wim', PASSWORD)
  await field.try('the second wim comes in', async () =>
    (await rig.call('open__secret', {}, bearing(tokens.access_token))).includes('TOPSECRET'),
  )
  await field.try(
    'the second wim is no admin',
    async () =>
      (await dashboard.ask('GET /keys')).value.keys.length === 0 &&
      (await dashboard.ask('POST /config/reload')).status === 403,
  )
  await field.try(
    'the second wim has not the mail of the first',
    async () =>
      !(await rig.call('mail__whoami', {}, bearing(tokens.access_token))).includes('you are'),
  )
  const { connections } = (await dashboard.ask('GET /connections')).value
  await field.try('the second wim is signed in nowhere', () =>
    connections.every(({ signedInAt }) => signedInAt === null),
  )
  await field.try('the second wim has no key', () =>
    connections.every(({ keys }) => keys.every(({ isSet }) => !isSet)),
  )
}

/** Signs a person in to the mail server, from the dashboard, with a browser. */
async function signInToMail(rig: Rig, { ask }: DashboardPerson): Promise<void> {
  const begun = await ask('POST /connections/:server/sign-in', { params: { server: 'mail' } })
  const browser = new LittleBrowser('wim')
  let at = new URL(begun.value.address)
  while (!at.href.startsWith(rig.url)) at = await browser.step(at)
  const [cookie = ''] = begun.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  const page = await fetch(at, { headers: { cookie } })
  if (page.status !== 200) throw new Error(`Wim is not signed in: ${await page.text()}`)
}
