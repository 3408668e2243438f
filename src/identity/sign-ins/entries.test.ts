import { expect, it } from 'vitest'
import { CALLBACK, signInsTo } from '../../../test/support/sign-in/sign-ins-to.ts'
import { type StoredSignIn, type Usage, digest } from './stored.ts'

/** A server with two entries, `mail` and `work`, and perhaps what an earlier version has stored. */
async function twoEntries({ earlier = false } = {}) {
  const opened = await signInsTo()
  const { server, signIns, idp, aVault } = opened
  const work = { ...server, name: 'work' }
  const both = new Map([server, work].map((each) => [each.name, each]))
  const arriveAt = async (entry: typeof server | typeof work, person: string) => {
    const signIn = signIns.of(entry, person)
    const address = await signIns.begin(signIn, { callbackUrl: CALLBACK })
    expect(await signIns.finish(idp.approve(address), undefined)).toMatchObject({ ok: true })
    return signIn
  }
  // As it was: by the URL and the person, whatever the name of the entry.
  const place = `${digest(server.url)}.${digest('ada')}`
  const signIn = aVault().record<StoredSignIn>(`sign-in.${place}`)
  if (earlier) {
    const tokens = { access_token: 'earlier', token_type: 'Bearer' }
    await signIn.update({ tokens, server: 'mail', person: 'ada', signedInAt: 7, scope: 'all' })
    await aVault().record<Usage>(`usage.${place}`).update({ usedAt: 8 })
  }
  return { ...opened, work, both, arriveAt }
}

it('each entry of a server has a sign-in of its own, of the same person at the same URL', async () => {
  const { signIns, server, work, both, arriveAt } = await twoEntries()
  signIns.adopt(both)
  const atMail = await arriveAt(server, 'ada')
  expect(await atMail.header()).toBe('Bearer access-1')
  expect(await signIns.of(work, 'ada').header()).toBeUndefined()
  const atWork = await arriveAt(work, 'ada')
  const headers = async () =>
    Promise.all(
      Array.from({ length: 20 }, async (_, at) => (at % 2 === 0 ? atMail : atWork).header()),
    )
  expect(new Set((await headers()).filter((__, at) => at % 2 === 0))).toEqual(
    new Set(['Bearer access-1']),
  )
  expect(new Set((await headers()).filter((__, at) => at % 2 === 1))).toEqual(
    new Set(['Bearer access-2']),
  )
  await atMail.signOut()
  expect(await atMail.header()).toBeUndefined()
  expect(await atWork.header()).toBe('Bearer access-2')
})

it('an entry whose URL changes has no sign-in, until it has that URL again', async () => {
  const { signIns, server, arriveAt } = await twoEntries()
  await arriveAt(server, 'ada')
  const elsewhere = { ...server, url: 'https://elsewhere.example/mcp' }
  signIns.adopt(new Map([['mail', elsewhere]]))
  expect(await signIns.of(elsewhere, 'ada').header()).toBeUndefined()
  signIns.adopt(new Map([['mail', server]]))
  expect(await signIns.of(server, 'ada').header()).toBe('Bearer access-1')
})

it('what an earlier version stored for a URL goes to its only entry, once', async () => {
  const { signIns, aProcess, server, of, aVault } = await twoEntries({ earlier: true })
  const others = aProcess()
  const [ours, theirs] = await Promise.all([of('ada').header(), of('ada', others).header()])
  expect([ours, theirs]).toEqual(['Bearer earlier', 'Bearer earlier'])
  expect(await of('ada').describe()).toMatchObject({ signedInAt: 7, usedAt: expect.any(Number) })
  expect(await signIns.of(server, 'bob').header()).toBeUndefined()
  expect(await aVault().names('sign-in.')).toHaveLength(1)
  expect(await aVault().names('usage.')).toHaveLength(1)
  await of('ada').signOut()
  expect(await of('ada', aProcess()).header()).toBeUndefined()
})

it('what an earlier version stored for a URL goes to none of several entries', async () => {
  const { signIns, server, work, both } = await twoEntries({ earlier: true })
  signIns.adopt(both)
  for (const entry of [server, work])
    expect(await signIns.of(entry, 'ada').header()).toBeUndefined()
})
