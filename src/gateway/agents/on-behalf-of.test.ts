import { expect, it } from 'vitest'
import { anUpstream } from '../../../test/support/a-call.ts'
import type { Agent } from '../call.ts'
import { asSeenBy, ownerOfResults, ownerOfSessions, personOf } from './on-behalf-of.ts'

it.each<[string, Agent, string]>([
  [
    'a person, whatever agent they are',
    { id: 'x', proof: 'sign-in', person: { user: 'eve', id: 'r1', groups: [] } },
    'user:eve#r1',
  ],
  [
    'a person of a provider, which gives no name twice',
    { id: 'x', proof: 'jwt', person: { user: 'eve', groups: [] } },
    'user:eve',
  ],
  ['one who only claims to be an agent', { id: 'ada', proof: 'claim' }, 'local'],
  ['one who says nothing', { id: 'ada', proof: 'fallback' }, 'local'],
  ['an agent with a key', { id: 'ada', proof: 'key', key: 'k1' }, 'agent:ada'],
  [
    'a sub-agent of a key, however deep',
    { id: 'c', proof: 'handle', key: 'k1', ancestors: ['b', 'ada'] },
    'agent:ada',
  ],
  ['a sub-agent of a claim', { id: 'c', proof: 'handle', ancestors: ['b', 'ada'] }, 'handle:ada'],
])('calls go out for %s', (_, agent, expected) => {
  expect(personOf(agent)).toBe(expected)
})

it('results are those of one agent in the name of one person', () => {
  const key: Agent = { id: 'ada', proof: 'key', key: 'k1' }
  const claim: Agent = { id: 'ada', proof: 'claim' }
  expect(ownerOfResults(key)).toBe(ownerOfResults({ ...key }))
  expect(ownerOfResults(key)).not.toBe(ownerOfResults(claim))
  expect(ownerOfResults(key)).not.toBe(ownerOfResults({ ...key, id: 'bob' }))
})

it('sessions are those of one account with one client, whatever its name and its token', () => {
  const signedIn: Agent = {
    id: 'ada',
    proof: 'sign-in',
    accountId: 'a1',
    client: 'an editor',
    clientId: 'c1',
    expiresAt: 1,
    person: { user: 'ada', groups: [] },
  }
  const owner = ownerOfSessions(signedIn)
  const renamed = { ...signedIn, id: 'ada2', person: { user: 'ada2', groups: ['ops'] } }
  expect(ownerOfSessions({ ...renamed, client: 'The Editor', expiresAt: 2 })).toBe(owner)
  expect(ownerOfSessions({ ...signedIn, accountId: 'a2' })).not.toBe(owner)
  expect(ownerOfSessions({ ...signedIn, clientId: 'c2' })).not.toBe(owner)
})

it('sessions are those of one key, token or handle, or of nobody', () => {
  const owners: Agent[] = [
    { id: 'ada', proof: 'claim' },
    { id: 'ada', proof: 'key', key: 'k1' },
    { id: 'ada', proof: 'key', key: 'k2' },
    { id: 'ada', proof: 'jwt', person: { user: 'ada', groups: [] } },
    { id: 'ada', proof: 'jwt', person: { user: 'ada', groups: [] }, client: 'other' },
    { id: 'ada', proof: 'handle', key: 'k1', ancestors: ['bob'] },
    { id: 'ada', proof: 'handle', key: 'k1', ancestors: ['eve', 'bob'] },
  ]
  expect(new Set(owners.map(ownerOfSessions)).size).toBe(owners.length)
  expect(ownerOfSessions({ id: 'ada', proof: 'claim' })).toBe('')
  expect(ownerOfSessions({ id: 'bob', proof: 'fallback' })).toBe('')
})

it('a server is the one that the person behind the agent has, where it has one', () => {
  const plain = anUpstream({ name: 'pg' })
  const own = anUpstream({ name: 'pg' })
  const asked: string[] = []
  const personal = {
    ...plain,
    as: (person: string) => {
      asked.push(person)
      return own
    },
  }
  const agent: Agent = { id: 'ada', proof: 'key' }
  expect(asSeenBy(plain, agent)).toBe(plain)
  expect(asSeenBy(personal, agent)).toBe(own)
  expect(asked).toEqual(['agent:ada'])
})
