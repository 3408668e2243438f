import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { CALLBACK, signInsTo } from '../../../test/support/sign-in/sign-ins-to.ts'

describe('a gateway without pages', () => {
  it('opens one on loopback, for this machine alone, which ends the sign-in', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { idp, signIns, of, signedIn } = await signInsTo()
    expect(signIns.knownAddress('mail', 'ada')).toBeUndefined()
    const address = await signIns.addressFor(of('ada'))
    expect(await signIns.addressFor(of('ada')), 'one address while it waits').toBe(address)
    expect(await signIns.addressFor(of('bob'))).not.toBe(address)
    expect(signIns.knownAddress('mail', 'ada')).toBe(address)
    const page = new URL(new URL(address).searchParams.get('redirect_uri') ?? '')
    expect(page.hostname).toBe('127.0.0.1')
    const answer = idp.approve(new URL(address)).toString()
    const statusOf = async (path: string, init?: RequestInit) =>
      (await fetch(new URL(path, page), init)).status
    expect(await statusOf(`/?${answer}`)).toBe(404)
    expect(await statusOf(`/callback?${answer}`, { method: 'POST' })).toBe(404)
    expect(await statusOf('/callback?state=x&code=y')).toBe(400)
    expect(signedIn).toEqual([])
    const back = await fetch(new URL(`/callback?${answer}`, page))
    expect([back.status, await back.text()]).toEqual([
      200,
      'Signed in to mail. You can close this page.\n',
    ])
    expect(signedIn).toEqual(['mail ada'])
    expect(signIns.knownAddress('mail', 'ada')).toBeUndefined()
    vi.setSystemTime(Date.now() + 5 * 60_000)
    const [before, after] = [
      signIns.knownAddress('mail', 'bob'),
      await signIns.addressFor(of('bob')),
    ]
    expect(after, 'after half of its time there is a new one').not.toBe(before)
  })

  it('has none where it serves pages of its own', async () => {
    const { signIns, of } = await signInsTo()
    signIns.place = {
      callbackUrl: CALLBACK,
      clientMetadataUrl: undefined,
      startUrl: (name) => `https://gateway.example/connect/${name}`,
      connectionsUrl: () => '',
    }
    expect(await signIns.addressFor(of('ada'))).toBe('https://gateway.example/connect/mail')
    expect(signIns.knownAddress('mail', 'ada')).toBe('https://gateway.example/connect/mail')
  })
})
