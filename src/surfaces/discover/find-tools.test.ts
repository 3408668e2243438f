import { expect, it } from 'vitest'
import { questionsOf } from './find-tools.ts'

it('asks each question by itself, within bounds', () => {
  expect(questionsOf('read a file; ;send mail\nbook a room')).toEqual({
    queries: ['read a file', 'send mail', 'book a room'],
    cut: false,
  })
  const many = questionsOf('read a file;'.repeat(50_000))
  expect(many.queries).toHaveLength(20)
  expect(many.cut).toBe(true)
  const long = questionsOf('x'.repeat(500_000))
  expect(long.queries[0]).toHaveLength(1_000)
  expect(long.cut).toBe(true)
})
