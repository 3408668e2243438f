import { expect, it } from 'vitest'
import type { Answerer } from './approval.ts'
import { whyNotAnswer } from './who-may-answer.ts'

const asked = { person: 'user:ada', key: 'key-1' }
const ada: Answerer = { name: 'ada', person: 'user:ada', groups: [], isAdmin: false, via: 'page' }
const lead = { ...ada, name: 'lea', person: 'user:lea', groups: ['leads'] }
const bob = { ...ada, name: 'bob', person: 'user:bob' }
const admin = { ...bob, isAdmin: true }

const alone = { approvers: [], fourEyes: false }
const led = { approvers: ['leads'], fourEyes: false }
const four = { approvers: [], fourEyes: true }

it.each([
  ['a person answers for themself', ada, alone, true],
  ['and for nobody else', bob, alone, false],
  ['an admin answers for everybody', admin, alone, true],
  ['an approver answers for others', lead, led, true],
  ['where there are approvers, nobody else does', ada, led, false],
  ['with four eyes, not for themself', ada, four, false],
  [
    'with four eyes, not even an approver',
    { ...lead, person: 'user:ada' },
    { ...four, approvers: ['leads'] },
    false,
  ],
  ['with four eyes, not even an admin', { ...admin, person: 'user:ada' }, four, false],
  ['with four eyes, an approver for others', lead, { ...four, approvers: ['leads'] }, true],
  [
    'an admin never for themself with a token, which their agents hold as well',
    { ...admin, person: 'user:ada', hasToken: true },
    alone,
    false,
  ],
  ['an admin with a token for others', { ...admin, hasToken: true }, alone, true],
  ['never with the key that made the call', { ...admin, key: 'key-1' }, alone, false],
])('%s', (_, by, rules, may) => {
  expect(whyNotAnswer(asked, by, rules) === undefined).toBe(may)
})
