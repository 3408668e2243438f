import { createHmac } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTeamProvider } from './team-provider.ts'

const KEY = 'a key for tests'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A browser that holds a cookie of this content, signed with a key. */
function browserWith(content: object, key = KEY, more = ''): IncomingMessage {
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url')
  const signature = createHmac('sha256', key).update(`provider ${payload}`).digest('base64url')
  const request = new IncomingMessage(new Socket())
  request.headers.cookie = `portolan_provider=${payload}.${signature}${more}`
  return request
}

const provider = createTeamProvider({
  issuer: 'https://idp.example/team',
  clientId: 'portolan',
  scopes: ['openid'],
  groupsClaim: 'groups',
  origin: 'https://gateway.example',
  key: KEY,
  accounts: { save: async () => '', find: async () => undefined },
})

it('is known to people by its host', () => {
  expect(provider.name).toBe('idp.example')
})

it('lets a person in for the visit they began, for a minute', () => {
  const request = browserWith({ uid: 'v1', accountId: 'a1', endsAt: Date.now() + 60_000 })
  expect(provider.redeem(request, 'v1')).toBe('a1')
  expect(() => provider.redeem(request, 'v2')).toThrow('It is for another')
  vi.setSystemTime(Date.now() + 60_000)
  expect(provider.redeem(request, 'v1')).toBe('a1')
  vi.setSystemTime(Date.now() + 1)
  expect(() => provider.redeem(request, 'v1')).toThrow('It is for another')
})

it('believes nothing that it has not signed, or that is no arrival', () => {
  const arrived = { uid: 'v1', accountId: 'a1', endsAt: Date.now() + 60_000 }
  const nothing = 'This browser did not start the sign-in, or its cookies were deleted'
  expect(() => provider.redeem(browserWith(arrived, 'another key'), 'v1')).toThrow(nothing)
  expect(() => provider.redeem(browserWith(arrived, KEY, 'x'), 'v1')).toThrow(nothing)
  expect(() => provider.redeem(new IncomingMessage(new Socket()), 'v1')).toThrow(nothing)
  const trip = { uid: 'v1', state: 's', nonce: 'n', verifier: 'v' }
  expect(() => provider.redeem(browserWith(trip), 'v1')).toThrow('accountId')
})
