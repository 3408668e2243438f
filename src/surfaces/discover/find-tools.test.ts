import { expect, it } from 'vitest'
import { boundedRequests } from './find-tools.ts'

it('asks for each thing by itself, within bounds', () => {
  expect(boundedRequests('read a file; ;send mail')).toEqual({
    requests: ['read a file', 'send mail'],
    cut: false,
  })
  const many = boundedRequests('read a file;'.repeat(50_000))
  expect(many.requests).toHaveLength(20)
  expect(many.cut).toBe(true)
  const long = boundedRequests('x'.repeat(500_000))
  expect(long.requests[0]).toHaveLength(1_000)
  expect(long.cut).toBe(true)
})
