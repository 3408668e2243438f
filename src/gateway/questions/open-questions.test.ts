import { expect, it } from 'vitest'
import { OpenQuestions } from './open-questions.ts'

it('an answer reaches the question of its key, and no other', async () => {
  const questions = new OpenQuestions()
  const first = questions.ask('roots/list', {})
  const second = questions.ask('elicitation/create', { message: 'Sure?' })
  expect(questions.requests).toEqual({
    q1: { method: 'roots/list', params: {} },
    q2: { method: 'elicitation/create', params: { message: 'Sure?' } },
  })
  questions.answer({ q2: { action: 'accept' }, q7: {}, q1: 'no object' })
  expect(await second).toEqual({ action: 'accept' })
  expect([questions.size, Object.keys(questions.requests)]).toEqual([1, ['q1']])
  questions.answer('nonsense')
  expect(questions.size).toBe(1)
  questions.answer({ q1: { roots: [] } })
  expect(await first).toEqual({ roots: [] })
  expect(questions.size).toBe(0)
})

it('a key is used once: a late answer reaches nobody', async () => {
  const questions = new OpenQuestions()
  const first = questions.ask('roots/list', {})
  questions.answer({ q1: { roots: [] } })
  await first
  const second = questions.ask('roots/list', {})
  questions.answer({ q1: { roots: ['late'] } })
  expect(Object.keys(questions.requests)).toEqual(['q2'])
  questions.answer({ q2: { roots: ['new'] } })
  expect(await second).toEqual({ roots: ['new'] })
})

it('all that are open fail together when nobody comes to answer', async () => {
  const questions = new OpenQuestions()
  const asked = [questions.ask('a', {}), questions.ask('b', {})]
  questions.abandon(new Error('The client has gone'))
  for (const one of asked) await expect(one).rejects.toThrow('The client has gone')
  expect(questions.size).toBe(0)
})
