import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CALLBACK, signInsTo } from '../../../test/support/sign-in/sign-ins-to.ts'
import { SignInNeeded } from '../../gateway/questions/sign-in-needed.ts'

const UNSIGNED = { status: 401, challenge: undefined, sent: undefined, again: false }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a person', () => {
  it('is asked to sign in, comes back with a code, and is signed in everywhere but as another', async () => {
    const { idp, signIns, of, learnt, signedIn, aProcess, forms } = await signInsTo({
      scope: 'mail',
    })
    const ada = of('ada')
    expect(await ada.header()).toBeUndefined()
    expect(await ada.describe()).toEqual({})
    const challenge = 'Bearer error="invalid_token", scope="calendar"'
    await expect(ada.refused({ ...UNSIGNED, challenge })).rejects.toBeInstanceOf(SignInNeeded)
    const address = await signIns.begin(ada, { callbackUrl: CALLBACK })
    expect(address.origin).toBe(idp.origin)
    const { scope, ...asked } = Object.fromEntries(address.searchParams)
    expect(scope?.split(' ').toSorted()).toEqual(['calendar', 'mail'])
    expect(asked).toMatchObject({
      client_id: 'client-of-portolan',
      redirect_uri: CALLBACK,
      code_challenge_method: 'S256',
      resource: idp.url,
    })
    const outcome = await signIns.finish(idp.approve(address), undefined)
    expect(outcome).toEqual({
      ok: true,
      status: 200,
      server: 'mail',
      message: 'Signed in to mail. You can close this page.',
    })
    expect(signedIn).toEqual(['mail ada'])
    expect(await ada.header()).toBe('Bearer access-1')
    expect(await ada.isReady()).toBe(true)
    expect(await ada.generation()).toBe(Date.now())
    expect(await ada.describe()).toMatchObject({ signedInAt: Date.now(), scope })
    expect(learnt).toEqual(expect.arrayContaining(['access-1', 'refresh-1']))
    expect(forms('authorization_code').map((form) => form.get('code'))).toEqual(['code-1'])
    learnt.length = 0
    expect(await of('ada', aProcess()).header()).toBe('Bearer access-1')
    expect(learnt, 'another process hides it too').toContain('access-1')
    expect(await of('bob').header()).toBeUndefined()
    expect(await of('bob').generation()).toBeUndefined()
  })

  it('is not signed in by an answer that nobody waits for, from elsewhere, or used before', async () => {
    const { idp, signIns, of, forms, signedIn } = await signInsTo()
    const begin = async (browser?: string) =>
      signIns.begin(of('ada'), { callbackUrl: CALLBACK, ...(browser && { browser }) })
    const finish = async (answer: URLSearchParams, browser?: string) =>
      signIns.finish(answer, browser)
    const ours = idp.approve(await begin('browser of ada'))
    expect(await finish(new URLSearchParams({ code: 'x' }))).toMatchObject({ status: 400 })
    expect(await finish(new URLSearchParams({ code: 'x', state: 'y' }))).toMatchObject({
      ok: false,
      server: undefined,
      message: expect.stringContaining('not the answer to a sign-in'),
    })
    for (const browser of [undefined, '', 'browser of eve'])
      expect(await finish(ours, browser)).toMatchObject({
        ok: false,
        status: 403,
        message: expect.stringContaining('begun in another browser'),
      })
    const denied = new URLSearchParams(ours)
    denied.delete('code')
    expect((await finish(denied, 'browser of ada')).message).toContain('was not completed')
    const foreign = idp.approve(await begin(), { iss: 'https://evil.example' })
    expect(await finish(foreign)).toMatchObject({
      ok: false,
      message: expect.stringContaining('another authorization server'),
    })
    const wrong = idp.approve(await begin(), { code: 'guessed' })
    expect((await finish(wrong)).message).toContain('refused the code')
    expect(signedIn).toEqual([])
    const redeemed = () => forms('authorization_code').map((form) => form.get('code'))
    expect(redeemed(), 'what was refused before was not even shown').not.toContain('code-1')
    const both = await Promise.all([finish(ours, 'browser of ada'), finish(ours, 'browser of ada')])
    expect(both.filter(({ ok }) => ok)).toHaveLength(1)
    expect(redeemed().filter((code) => code === 'code-1')).toHaveLength(1)
    expect(await finish(ours, 'browser of ada')).toMatchObject({ ok: false, status: 400 })
  })

  it('stays signed in when a second sign-in does not work', async () => {
    const { idp, signIns, arrive } = await signInsTo()
    const ada = await arrive('ada')
    const address = await signIns.begin(ada, { callbackUrl: CALLBACK })
    const outcome = await signIns.finish(idp.approve(address, { code: 'guessed' }), undefined)
    expect(outcome.ok).toBe(false)
    expect(await ada.header()).toBe('Bearer access-1')
  })

  it('has ten minutes to come back, to a server that is still configured', async () => {
    const { idp, signIns, of, arrive } = await signInsTo()
    const begin = async () => signIns.begin(of('ada'), { callbackUrl: CALLBACK })
    const [late, gone] = [idp.approve(await begin()), idp.approve(await begin())]
    vi.setSystemTime(Date.now() + 10 * 60_000 - 1)
    await arrive('bob')
    vi.setSystemTime(Date.now() + 1)
    expect((await signIns.finish(late, undefined)).message).toContain('not the answer')
    const fresh = idp.approve(await begin())
    signIns.adopt(new Map())
    expect((await signIns.finish(fresh, undefined)).message).toContain('no longer configured')
    expect((await signIns.finish(gone, undefined)).ok).toBe(false)
  })

  it('signs out here and at the authorization server, with the token that renews', async () => {
    const { idp, arrive, of } = await signInsTo()
    const ada = await arrive('ada')
    await arrive('bob')
    await ada.signOut()
    expect(await ada.header()).toBeUndefined()
    expect(await of('bob').header()).toBe('Bearer access-2')
    const [revoked] = idp.posted.filter(({ path }) => path === '/revoke')
    expect(Object.fromEntries(revoked?.form ?? [])).toEqual({
      token: 'refresh-1',
      token_type_hint: 'refresh_token',
      client_id: 'client-of-portolan',
    })
    await ada.signOut()
    expect(idp.posted.filter(({ path }) => path === '/revoke')).toHaveLength(1)
  })

  it('signs out as a client with a secret where it is one, without a token that renews', async () => {
    const { idp, arrive } = await signInsTo({ clientId: 'known', clientSecret: 's3cret' })
    idp.manners.givesRefreshTokens = false
    await (await arrive('ada')).signOut()
    const [revoked] = idp.posted.filter(({ path }) => path === '/revoke')
    expect(Object.fromEntries(revoked?.form ?? [])).toEqual({
      token: 'access-1',
      token_type_hint: 'access_token',
    })
    expect(revoked?.by).toBe(`Basic ${Buffer.from('known:s3cret').toString('base64')}`)
  })
})

describe('a sign-in', () => {
  it('tells what was allowed and when it was used, once a minute, and nothing of nobody', async () => {
    const { idp, of, arrive } = await signInsTo({ scope: 'read write' })
    const [ada, bob] = [of('ada'), of('bob')]
    expect(await ada.header()).toBeUndefined()
    idp.manners.scope = 'read'
    const signedInAt = Date.now()
    await arrive('ada')
    expect(await ada.describe()).toStrictEqual({ signedInAt, scope: 'read' })
    const usedAt = async () => (await ada.describe()).usedAt
    await ada.header()
    await expect.poll(usedAt, { timeout: 20_000 }).toBe(signedInAt)
    vi.setSystemTime(signedInAt + 59_999)
    await ada.header()
    await arrive('eve')
    expect(await usedAt(), 'less than a minute later').toBe(signedInAt)
    vi.setSystemTime(signedInAt + 60_000)
    await ada.header()
    await expect.poll(usedAt, { timeout: 20_000 }).toBe(signedInAt + 60_000)
    expect([await ada.isReady(), await bob.isReady()]).toEqual([true, false])
    await ada.signOut()
    await arrive('ada')
    expect(await usedAt(), 'of an earlier sign-in').toBeUndefined()
  })
})

describe('a token', () => {
  it('is renewed a minute before it ends, once for all who wait, and not before', async () => {
    const { arrive, forms } = await signInsTo()
    const ada = await arrive('ada')
    vi.setSystemTime(Date.now() + 3_600_000 - 60_000)
    expect(await ada.header()).toBe('Bearer access-1')
    vi.setSystemTime(Date.now() + 1)
    const headers = await Promise.all([ada.header(), ada.header(), ada.header()])
    expect(headers).toEqual(['Bearer access-2', 'Bearer access-2', 'Bearer access-2'])
    expect(forms('refresh_token').map((form) => form.get('refresh_token'))).toEqual(['refresh-1'])
  })

  it('of a short life is renewed after nine tenths of it; one without an end is not', async () => {
    const { idp, arrive } = await signInsTo()
    idp.manners.expiresIn = 100
    const ada = await arrive('ada')
    vi.setSystemTime(Date.now() + 90_000)
    expect(await ada.header()).toBe('Bearer access-1')
    vi.setSystemTime(Date.now() + 1)
    expect(await ada.header()).toBe('Bearer access-2')
    idp.manners.expiresIn = undefined
    const bob = await arrive('bob')
    vi.setSystemTime(Date.now() + 10 * 365 * 86_400_000)
    expect(await bob.header()).toBe('Bearer access-3')
  })

  it('is used as long as it lasts while a new one cannot be had', async () => {
    const { idp, arrive } = await signInsTo()
    const ada = await arrive('ada')
    idp.manners.refresh = 'fail'
    vi.setSystemTime(Date.now() + 3_599_000)
    expect(await ada.header()).toBe('Bearer access-1')
    const refusal = { ...UNSIGNED, sent: 'Bearer access-1' }
    await expect(ada.refused(refusal)).rejects.toMatchObject({ code: 'SERVER_UNAVAILABLE' })
    expect(await ada.header(), 'an outage signs nobody out').toBe('Bearer access-1')
    idp.manners.refresh = 'renew'
    await ada.refused(refusal)
    expect(await ada.header()).toBe('Bearer access-2')
  })

  it('that is refused is renewed, unless somebody has done so meanwhile', async () => {
    const { idp, arrive, aProcess, of, forms } = await signInsTo()
    const ada = await arrive('ada')
    const other = of('ada', aProcess())
    await ada.refused({ ...UNSIGNED, sent: 'Bearer access-1' })
    await other.refused({ ...UNSIGNED, sent: 'Bearer access-1' })
    expect(forms('refresh_token')).toHaveLength(1)
    expect(await other.header()).toBe('Bearer access-2')
    const again = { ...UNSIGNED, sent: 'Bearer access-2', again: true }
    await expect(ada.refused(again), 'no third try').rejects.toBeInstanceOf(SignInNeeded)
    expect(forms('refresh_token')).toHaveLength(1)
    expect(await ada.header()).toBeUndefined()
    expect(await ada.isReady()).toBe(false)
    idp.manners.givesRefreshTokens = false
    const eve = await arrive('eve')
    const unrenewed = { ...UNSIGNED, sent: 'Bearer access-3' }
    await expect(eve.refused(unrenewed), 'nothing to renew with').rejects.toBeInstanceOf(
      SignInNeeded,
    )
    idp.manners.givesRefreshTokens = true
    const bob = await arrive('bob')
    idp.manners.refresh = 'refuse'
    const refusal = { ...UNSIGNED, sent: 'Bearer access-4' }
    await expect(bob.refused(refusal)).rejects.toBeInstanceOf(SignInNeeded)
  })

  it('that is not good for a call leads to a question for more, and only once', async () => {
    const { idp, signIns, arrive } = await signInsTo({ scope: 'read' })
    const ada = await arrive('ada')
    const forbidden = { ...UNSIGNED, status: 403, sent: 'Bearer access-1' }
    const more = { ...forbidden, challenge: 'Bearer error="insufficient_scope", scope="write"' }
    await expect(ada.refused(more)).rejects.toThrow('allow more than before (write)')
    expect(await ada.isReady()).toBe(false)
    expect(await ada.header(), 'what it is good for goes on').toBe('Bearer access-1')
    const address = await signIns.begin(ada, { callbackUrl: CALLBACK })
    const asked = address.searchParams.get('scope') ?? ''
    expect(asked.split(' ').toSorted()).toEqual(['read', 'write'])
    await signIns.finish(idp.approve(address), undefined)
    expect(await ada.isReady()).toBe(true)
    await expect(ada.refused(more)).rejects.toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      message: expect.stringContaining('are not enough'),
    })
    const bob = await arrive('bob')
    const vague = { ...forbidden, sent: 'Bearer access-3' }
    await expect(bob.refused(vague), 'it does not say for what').rejects.toThrow('are not enough')
  })
})

describe('the gateway itself', () => {
  const MACHINE = { grant: 'client_credentials', clientId: 'bot', clientSecret: 'hush' } as const

  it('gets a token without a person, and no other where that one is refused', async () => {
    const { of, forms, idp } = await signInsTo({ ...MACHINE, scope: 'read' })
    const everybody = of('everybody')
    expect(everybody.isInteractive).toBe(false)
    await everybody.refused(UNSIGNED)
    expect(await everybody.header()).toBe('Bearer access-1')
    expect(forms('client_credentials').map((form) => form.get('scope'))).toEqual(['read'])
    expect(idp.posted[0]?.by).toBe(`Basic ${Buffer.from('bot:hush').toString('base64')}`)
    const again = { ...UNSIGNED, sent: 'Bearer access-1', again: true }
    await expect(everybody.refused(again)).rejects.toThrow('refuses the token of its own server')
    const challenge = 'Bearer scope="write"'
    await everybody.refused({ ...UNSIGNED, sent: 'Bearer access-1', challenge })
    expect(forms('client_credentials').map((form) => form.get('scope'))).toEqual(['read', 'write'])
  })

  it('asks for nothing in particular where nobody says what it needs', async () => {
    const { of, forms } = await signInsTo(MACHINE)
    const everybody = of('everybody')
    await everybody.refused(UNSIGNED)
    expect(forms('client_credentials').map((form) => form.has('scope'))).toEqual([false])
    expect(await everybody.describe()).toStrictEqual({ scope: '' })
    expect(await everybody.generation()).toBe(0)
  })
})

it('a server that says nothing of an authorization server is not signed in to', async () => {
  const { idp, of } = await signInsTo()
  idp.manners.isNamed = false
  await expect(of('ada').refused(UNSIGNED)).rejects.toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    message: expect.stringContaining('does not say where to sign in'),
  })
})
