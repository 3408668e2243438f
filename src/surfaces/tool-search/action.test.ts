import { expect, it } from 'vitest'
import type { Tool } from '../../gateway/upstream.ts'
import {
  actionFit,
  actionOfRequest,
  actionOfTool,
  objectOf,
  thingsOf,
  toolAction,
} from './action.ts'
import { beyondOthers } from './relatives.ts'

function aTool(name: string, description = ''): Tool {
  return { server: 'api', name, definition: { name, description }, readOnly: false }
}

it.each([
  ['PostRefunds', '', 'create'],
  ['PostRefundsRefund', '', 'change'],
  ['PostAccountsAccountBankAccountsId', '', 'change'],
  ['PostRefundsRefundCancel', 'Cancels a refund.', 'delete'],
  ['GetRefunds', 'Returns a list of refunds.', 'read'],
  ['pulls_request-reviewers', 'Adds people who review.', 'create'],
  ['readCoreV1NamespacedPodLog', 'the log of a pod', 'read'],
  ['ping', '', undefined],
])('%s ("%s") does: %s', (name, description, action) => {
  expect(actionOfTool(aTool(name, description))).toBe(action)
})

it.each([
  ['get rid of the pod', 'delete'],
  ['get the pod', 'read'],
  ['throw the label away', 'delete'],
  ['sign him up for the plan', 'create'],
  ['refund a payment', undefined],
])('"%s" wants: %s', (request, action) => {
  expect(actionOfRequest(request)).toBe(action)
})

it('takes a verb that is the name of a thing for the wish to create one', () => {
  const [create, cancel, other] = ['PostRefunds', 'CancelRefund', 'PostPayouts']
    .map((name) => toolAction(aTool(name)))
    .map(actionFit('refund a payment'))
  expect(create).toBeGreaterThan(other ?? 0)
  expect(other).toBeGreaterThan(cancel ?? 0)
})

it('names the thing without verbs, numbers, its server, and what follows a preposition', () => {
  expect(thingsOf(aTool('createStatusForObject'))).toEqual(['status', 'object'])
  expect(thingsOf(aTool('api_get_v1_PaymentIntents'))).toEqual(['payment', 'intent'])
})

it('takes the words before a preposition for what a request is about', () => {
  expect(objectOf('store a password for the app')).toBe('store a password')
  expect(objectOf('for the app')).toBe('for the app')
})

it('finds what a name says beyond a simpler one of the same server', () => {
  const tools = ['createProject', 'createProjectStatus', 'deleteTag'].map((name) => aTool(name))
  const elsewhere = { ...aTool('tag_color'), server: 'other' }
  expect(beyondOthers([...tools, elsewhere])).toEqual([[], ['status'], [], []])
})
