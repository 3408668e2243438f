import { expect, it } from 'vitest'
import { readQuery } from './find-tools.ts'

it('asks each question by itself, within bounds', () => {
  expect(readQuery('read a file; ;send a mail then book a room')).toEqual({
    requests: ['read a file', 'send a mail', 'book a room'],
    cut: false,
  })
  const many = readQuery('read a file;'.repeat(50_000))
  expect(many.requests).toHaveLength(20)
  expect(many.cut).toBe(true)
  const long = readQuery('x'.repeat(500_000))
  expect(long.requests[0]).toHaveLength(1_000)
  expect(long.cut).toBe(true)
})
