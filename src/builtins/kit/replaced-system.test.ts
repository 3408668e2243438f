import { expect, it } from 'vitest'
import { withOurNames } from './replaced-system.ts'

const NAMES = [
  ['API_BASE_URL', 'PORTOLAN_TRACES_URL'],
  ['KEY', 'KEY'],
] as const

it('adds our names, tells which were read, and lets ours win', () => {
  expect(withOurNames({ API_BASE_URL: 'http://a', KEY: 'k', PATH: '/' }, NAMES)).toEqual({
    env: { API_BASE_URL: 'http://a', KEY: 'k', PATH: '/', PORTOLAN_TRACES_URL: 'http://a' },
    used: ['API_BASE_URL', 'KEY'],
  })
  const both = { API_BASE_URL: 'http://a', PORTOLAN_TRACES_URL: 'http://ours' }
  expect(withOurNames(both, NAMES)).toEqual({ env: both, used: [] })
  expect(withOurNames({ API_BASE_URL: '' }, NAMES)).toEqual({ env: { API_BASE_URL: '' }, used: [] })
})
