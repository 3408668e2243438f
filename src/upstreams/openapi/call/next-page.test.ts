import { expect, it } from 'vitest'
import type { JsonObject } from '../../../base/json/json.ts'
import type { CallPlan } from '../tools/api-tool.ts'
import { nextPage } from './next-page.ts'

const parameters = ['page', 'after', 'page_token', 'offset', '$skip', 'since_id'].map((name) => ({
  name,
  in: 'query' as const,
  style: 'form' as const,
  explode: true,
  json: false,
  argument: name,
  required: false,
}))
const plan: CallPlan = {
  operation: 'list',
  method: 'get',
  path: '/items',
  server: undefined,
  parameters,
  body: undefined,
  answers: [],
  answerHeaders: [],
  readOnly: true,
  security: [],
  open: false,
}

function next(value: JsonObject): JsonObject | undefined {
  const url = new URL('https://api.example.com/items')
  return nextPage(plan, { status: 200, headers: {}, url, body: { kind: 'json', value } })
}

it.each([
  ['DigitalOcean', { links: { pages: { next: 'https://h/items?page=2' } } }, { page: 2 }],
  ['Twilio', { next_page_uri: '/items?page=1&page_token=PA1' }, { page: 1, page_token: 'PA1' }],
  ['Microsoft Graph', { '@odata.nextLink': 'https://h/items?$skip=10' }, { $skip: 10 }],
  ['Azure', { nextLink: 'https://h/items?$skip=10' }, { $skip: 10 }],
  ['Zendesk', { next_page: 'https://h/items.json?page=2' }, { page: 2 }],
  ['Facebook', { paging: { next: 'https://h/items?after=QVF' } }, { after: 'QVF' }],
  ['HubSpot', { paging: { next: { after: '20', link: '?after=20' } } }, { after: 20 }],
  ['Asana', { next_page: { offset: 'eyJ', uri: 'https://h/items?offset=eyJ' } }, { offset: 'eyJ' }],
  ['Django', { next: 'https://h/items?page=2' }, { page: 2 }],
])('finds the next page as %s tells it', (_, body, expected) => {
  expect(next(body)).toEqual(expected)
})

it('keeps the zeros that a key begins with', () => {
  expect(next({ next: '?since_id=0042' })).toEqual({ since_id: '0042' })
})

it('repeats no parameter that stays the same, and all values of one that changes', () => {
  const url = new URL('https://api.example.com/items?after=1&after=2&offset=3')
  const link = '<https://api.example.com/items?after=1&after=2&offset=4&offset=5>; rel="next"'
  const body = { kind: 'json' as const, value: [] }
  expect(nextPage(plan, { status: 200, headers: { link }, url, body })).toEqual({ offset: [4, 5] })
})
