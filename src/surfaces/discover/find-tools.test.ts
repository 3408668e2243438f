import { expect, it } from 'vitest'
import { boundedRequests } from './find-tools.ts'

it('asks for each thing by itself, within bounds', () => {
  expect(boundedRequests('read a file; ;send mail')).toEqual({
    requests: ['read a file', 'send mail'],
    wordings: 0,
    cut: false,
  })
  const many = boundedRequests('read a file;'.repeat(50_000))
  expect(many.requests).toHaveLength(8)
  expect(many.cut).toBe(true)
  const long = boundedRequests('x'.repeat(500_000))
  expect(long.requests[0]).toHaveLength(300)
  expect(long.cut).toBe(true)
})

it('searches only the beginning of a long query, as each word takes time', () => {
  const { requests, cut } = boundedRequests('words that say what is to be done '.repeat(60))
  expect([requests.join(' ').length, cut]).toEqual([300, true])
})

it('adds other wordings, which are searched whole, and keeps them within the same bounds', () => {
  const bounded = boundedRequests('a; b; c; d; e', [
    'send it, then close it',
    '1',
    '2',
    '3',
    '4',
    '5',
  ])
  expect(bounded).toEqual({
    requests: ['a', 'b', 'c', 'send it, then close it', '1', '2', '3', '4'],
    wordings: 5,
    cut: true,
  })
})
