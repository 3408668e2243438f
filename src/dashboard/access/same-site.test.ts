import { describe, expect, it } from 'vitest'
import { anHttpRequest } from '../../../test/support/an-http-request.ts'
import { refuseOtherPages, refuseOtherSites } from './same-site.ts'

const HERE = { host: 'localhost:8080' }
const ALLOWED = ['https://ops.example']

/** The code of the refusal, if it is one. */
function refusal(check: typeof refuseOtherSites, headers: Record<string, string>, method = 'GET') {
  try {
    check(anHttpRequest({ ...HERE, ...headers }, method), ALLOWED)
    return undefined
  } catch (error) {
    return error
  }
}

describe.each([
  ['the API of the dashboard', refuseOtherSites],
  ['the APIs of built-ins', refuseOtherPages],
])('%s', (_, check) => {
  it.each([
    ['a program', {}],
    ['its own page', { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' }],
    ['an address that was typed', { 'sec-fetch-site': 'none' }],
    ['an allowed page', { origin: 'https://ops.example', 'sec-fetch-site': 'cross-site' }],
  ])('answers %s', (__, headers) => {
    expect(refusal(check, headers)).toBeUndefined()
  })

  it.each([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a page of another site without an origin', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another subdomain', { 'sec-fetch-site': 'same-site' }],
    ['a page of another port', { origin: 'http://localhost:9090' }],
    ['a page without an address', { origin: 'null' }],
    ['a page that looks like an allowed one', { origin: 'https://ops.example.evil.example' }],
  ])('refuses %s', (__, headers) => {
    expect(refusal(check, headers)).toMatchObject({ status: 403, code: 'FORBIDDEN_ORIGIN' })
  })
})

it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('asks for the mark of our pages with %s', (method) => {
  expect(refusal(refuseOtherSites, {}, method)).toMatchObject({ status: 403, code: 'MARK_MISSING' })
  expect(refusal(refuseOtherSites, { 'x-portolan-dashboard': '1' }, method)).toBeUndefined()
  expect(refusal(refuseOtherPages, {}, method)).toBeUndefined()
})

it.each(['GET', 'HEAD'])('asks for no mark with %s', (method) => {
  expect(refusal(refuseOtherSites, {}, method)).toBeUndefined()
})
