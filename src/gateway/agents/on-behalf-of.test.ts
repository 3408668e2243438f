import { expect, it } from 'vitest'
import { anUpstream } from '../../../test/support/a-call.ts'
import type { Agent } from '../call.ts'
import { asSeenBy, ownerOfResults, personOf } from './on-behalf-of.ts'

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
