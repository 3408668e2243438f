import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { LittleBrowser } from '../../../test/support/little-browser.ts'
import { startMailServer } from '../../../test/support/mail-server.ts'
import { openReplicas } from '../../../test/support/open-test-database.ts'
import type { SignIn } from '../../identity/sign-ins/sign-in.ts'
import { SignIns } from '../../identity/sign-ins/sign-ins.ts'
import type { SharedDatabase } from './open-database.ts'

const CALLBACK = 'http://127.0.0.1:1/connect/callback'

function signInsOf({ vault }: SharedDatabase, url: string) {
  const signIns = new SignIns({
    vault,
    learn: () => undefined,
    hide: String,
    onSignedIn: () => undefined,
  })
  const oauth = { tokens: 'per-person', grant: 'authorization_code' } as const
  const server = { name: 'mail', url, oauth }
  signIns.adopt(new Map([['mail', server]]))
  return { signIns, of: (person: string) => signIns.of(server, person) }
}

it('a sign-in that one replica began ends at another, and all renew it together', async () => {
  const mail = await startMailServer(onTestFinished, { tokenSeconds: 2 })
  const databases = await openReplicas(2, { PORTOLAN_SECRET_KEY: 'one' })
  const [one, two] = databases.map((database) => signInsOf(database, mail.url))
  if (!one || !two) throw new Error('Two replicas were asked for')

  for (const person of ['ada', 'bob']) {
    const browser = new LittleBrowser(person)
    const options = { callbackUrl: CALLBACK, browser: `browser of ${person}` }
    let at = await one.signIns.begin(one.of(person), options)
    while (!at.href.startsWith(CALLBACK)) at = await browser.step(at)
    const other = await two.signIns.finish(at.searchParams, 'another browser')
    expect(other).toMatchObject({ ok: false, status: 403 })
    const both = await Promise.all(
      [two, one].map(async ({ signIns }) => signIns.finish(at.searchParams, options.browser)),
    )
    expect(both.filter(({ ok }) => ok)).toHaveLength(1)
  }
  expect(mail.counts.registrations).toBe(1)

  // Refresh tokens work once here: a second use of one would end the sign-in for good.
  const accounts = new Set<string>()
  const until = Date.now() + 6_000
  while (Date.now() < until) {
    await Promise.all(
      ['ada', 'bob'].flatMap((person) =>
        [one, two].map(async ({ of }) =>
          accounts.add(`${person}: ${await accountOf(of(person), mail.url)}`),
        ),
      ),
    )
    await sleep(100)
  }
  expect([...accounts].toSorted()).toEqual(['ada: ada', 'bob: bob'])
  expect(mail.counts.refreshes).toBeGreaterThan(3)
  expect(mail.counts.refusals).toBe(0)

  // Signed out at one, signed out at all.
  await one.of('ada').signOut()
  await expect.poll(async () => two.of('ada').generation()).toBeUndefined()
  expect(await two.of('bob').generation()).toBeDefined()
})

/** Whose letters a request shows; a token that has just ended is renewed, as a connection does. */
async function accountOf(signIn: SignIn, url: string): Promise<string | undefined> {
  const sent = await signIn.header()
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: sent ?? '' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/list' }),
  })
  if (answer.status !== 401) return /Letter to (\w+)/.exec(await answer.text())?.[1]
  const challenge = answer.headers.get('www-authenticate') ?? undefined
  await signIn.refused({ status: 401, challenge, sent, again: false })
  return accountOf(signIn, url)
}
