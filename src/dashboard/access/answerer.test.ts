import { expect, it } from 'vitest'
import type { Agent } from '../../gateway/call.ts'
import { toAnswerer } from './answerer.ts'

const ADA = { id: 'ada', person: { user: 'ada', groups: ['leads'] } }
const session: Agent = { ...ADA, proof: 'sign-in' }
const token: Agent = { ...ADA, proof: 'jwt' }
const key: Agent = { id: 'ada', proof: 'key', key: 'k1' }

const admin = (via: 'token' | 'cookie' | 'key', agent: Agent) =>
  toAnswerer({ role: 'admin', via }, agent)

it('is a person who has signed in on the pages', () => {
  expect(toAnswerer({ role: 'agent', via: 'cookie' }, session)).toEqual({
    name: 'ada',
    person: 'user:ada',
    groups: ['leads'],
    isAdmin: false,
    hasToken: false,
    via: 'page',
  })
})

it('is an admin, whose token their agents hold as well', () => {
  expect(admin('token', token)).toMatchObject({ isAdmin: true, hasToken: true })
  expect(admin('cookie', token)).toMatchObject({ isAdmin: true, hasToken: true })
  expect(admin('cookie', session)).toMatchObject({ isAdmin: true, hasToken: false })
  expect(admin('key', key)).toMatchObject({ isAdmin: true, hasToken: false, key: 'k1' })
})

it.each([
  ['a token', 'token', token],
  ['a token that is sent as a cookie', 'cookie', token],
  ['a key', 'key', key],
  ['a key that is sent as a cookie', 'cookie', key],
] as const)('is nobody with %s of an agent', (_, via, agent) => {
  expect(() => toAnswerer({ role: 'agent', via }, agent)).toThrow('cannot approve calls')
})
