import { describe, expect, it } from 'vitest'
import { DashboardPerson } from '../../../../test/support/sign-in/dashboard-person.ts'
import { OAuthClient } from '../../../../test/support/sign-in/oauth-client.ts'
import { openSignIn } from '../../../../test/support/sign-in/open-sign-in.ts'
import type { Person } from '../../../../test/support/sign-in/signing-client.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { personOf } from '../../../gateway/agents/on-behalf-of.ts'
import type { Agent } from '../../../gateway/call.ts'
import { createDirectory } from '../../directory.ts'
import { createHandles } from '../../handles.ts'

const good = async (work: Promise<unknown>) => work.then(Boolean, () => false)

const WIM = { name: 'wim', groups: ['ops'], role: 'agent' } as const
const FIRST = 'correct horse battery'
const SECOND = 'staple and more of it'

const withPassword =
  (password: string): Person =>
  async (browser, first) => {
    const form = { action: 'password', user: 'wim', password }
    const consent = first.text.includes('name="password"')
      ? await browser.submit(first, form)
      : first
    return browser.submit(consent, { action: 'allow', effect: ['read'] })
  }

/** Wim, signed in with a client, a browser, the dashboard and a sub-agent. */
async function wimEverywhere() {
  const opened = await openSignIn()
  const { url, signIn, users } = opened
  await users.save(WIM, FIRST)
  const client = await new OAuthClient(url).register()
  const { body } = await client.redeem(await client.code(withPassword(FIRST)))
  const dashboard = await new DashboardPerson(url).byPassword('wim', FIRST)
  const verify = async (token: string) => signIn.tokens?.verify(token, '/mcp')
  const parent = await verify(body.access_token)
  if (!parent) throw new Error('The token is good')
  const handles = createHandles(tempFolder().file('secret'))
  const { secret: handle } = handles.mint({ parent, agent: 'helper', ttlMs: 60_000 })
  const directory = createDirectory({
    handles,
    rules: undefined,
    credentialRequired: () => true,
    checkAccount: signIn.people?.checkAccount,
  })
  const use = async (credential: string) =>
    directory.identify({ transport: 'http', credential, claimedAgent: undefined })
  /** What still works of all that, once this process knows of a change. */
  const works = async () => {
    await signIn.people?.dashboard.end('pts_of_somebody_else')
    return {
      token: await good(verify(body.access_token)),
      dashboard: await good(
        Promise.resolve(signIn.people?.dashboard.verify(dashboard.session ?? '', undefined)),
      ),
      handle: await good(use(handle)),
      refresh: (await client.refresh(body.refresh_token)).status === 200,
      browser: !(await client.open()).text.includes('name="password"'),
    }
  }
  return { ...opened, client, parent, verify, works }
}

const ENDED = { token: false, dashboard: false, handle: false, refresh: false, browser: false }

describe('what a user is signed in to', () => {
  it('works until they are removed, and not again for the next of that name', async () => {
    const { users, works } = await wimEverywhere()
    await users.remove('wim')
    await users.save(WIM, FIRST)
    expect(await works()).toEqual(ENDED)
  })

  it('ends with a new password, and what they own stays theirs', async () => {
    const { users, works, parent, client, verify } = await wimEverywhere()
    await users.save(WIM, SECOND)
    expect(await works()).toEqual(ENDED)
    // The same browser asks for the new password, although it still has its cookie.
    const { body } = await client.redeem(await client.code(withPassword(SECOND)))
    const now = await verify(body.access_token)
    expect(now?.id).toBe('wim')
    expect(ownerOf(now)).toBe(ownerOf(parent))
  })

  it('ends when they are disabled or invited again, and stays when only their rights change', async () => {
    const { users, works, parent, verify, client } = await wimEverywhere()
    await users.change({ ...WIM, groups: ['night'] })
    expect(new Set(Object.values(await works()))).toEqual(new Set([true]))
    await users.disable('wim')
    expect(await works()).toEqual(ENDED)
    expect(await users.check('wim', FIRST)).toBeUndefined()
    const { code } = await users.invite(WIM)
    await users.accept(code, SECOND)
    const { body } = await client.redeem(await client.code(withPassword(SECOND)))
    expect(ownerOf(await verify(body.access_token))).toBe(ownerOf(parent))
  })

  it('ends for a client and its sub-agents, and only there, with the session of the client', async () => {
    const { signIn, works } = await wimEverywhere()
    const sessions = await signIn.people?.sessions()
    const [client] = (await sessions?.list())?.filter(({ kind }) => kind === 'client') ?? []
    expect(await sessions?.end(client?.id ?? '')).toBe(true)
    const ended = { token: false, handle: false, refresh: false }
    expect(await works()).toEqual({ ...ENDED, dashboard: true, browser: true, ...ended })
  })

  it('works for as long as nothing of that happens', async () => {
    const { works } = await wimEverywhere()
    expect(new Set(Object.values(await works()))).toEqual(new Set([true]))
  })
})

it('what a user owns is not that of the next user of that name, who has the same rights', async () => {
  const { users, parent, client, verify } = await wimEverywhere()
  await users.remove('wim')
  await users.save(WIM, FIRST)
  const { body } = await client.redeem(await client.code(withPassword(FIRST)))
  const next = await verify(body.access_token)
  expect(next).toMatchObject({ id: 'wim', person: { user: 'wim', groups: ['ops'] } })
  expect(ownerOf(next)).not.toBe(ownerOf(parent))
})

function ownerOf(agent: Agent | undefined): string | undefined {
  return agent && personOf(agent)
}
