import { describe, expect, it } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import type { Project } from '../../protocol/service.ts'
import { askClient, canAnswer, canBeAsked, withQuestions } from './ask-client.ts'
import type { Client } from '../call.ts'

const project = async (): Promise<Project> => ({ path: '/of/nobody', source: 'env' })
const ask = async (client: Client | undefined, method: string) =>
  askClient(client, { method, params: { a: 1 }, project })

describe('a question of a server', () => {
  it('goes to a client that declared it, with its parameters, its signal and its id', async () => {
    const { signal } = new AbortController()
    const client = aClient({
      capabilities: { elicitation: {} },
      request: async (...args) => ({ asked: args }),
    })
    const question = { method: 'elicitation/create', params: { a: 1 }, signal, project, id: 7 }
    expect(await askClient(client, question)).toEqual({
      asked: ['elicitation/create', { a: 1 }, { signal, id: 7 }],
    })
    await expect(ask(client, 'sampling/createMessage')).rejects.toThrow(
      'The client behind this call does not support sampling/createMessage',
    )
  })

  it('is refused where it is not known which client it is for', async () => {
    await expect(ask(undefined, 'elicitation/create')).rejects.toThrow('several clients share')
  })

  it.each<[string, Partial<Client> | undefined, unknown]>([
    ['of nobody', undefined, [{ uri: 'file:///of/nobody', name: 'nobody' }]],
    [
      'named by the client',
      { project: async () => ({ path: '/p/one', source: 'query_param' }) },
      [{ uri: 'file:///p/one', name: 'one' }],
    ],
    ['that is only the working folder of a shared gateway', {}, []],
    [
      'that is the working folder of its own gateway',
      { alone: true },
      [{ uri: 'file:///', name: '' }],
    ],
  ])('for roots is answered here with the project %s', async (_, parts, roots) => {
    expect(await ask(parts && aClient(parts), 'roots/list')).toEqual({ roots })
  })
})

it('knows what a client can be asked', () => {
  const sampling = aClient({ capabilities: { sampling: {} } })
  expect([
    canAnswer(sampling, 'sampling/createMessage'),
    canAnswer(sampling, 'roots/list'),
  ]).toEqual([true, false])
  expect([aClient(), aClient({ capabilities: { experimental: {} } })].some(canBeAsked)).toBe(false)
  for (const ability of ['roots', 'sampling', 'elicitation'])
    expect(canBeAsked(aClient({ capabilities: { [ability]: {} } }))).toBe(true)
})

it('tells of questions that overlap as of one wait, also when one fails', async () => {
  const waits: string[] = []
  const answers: ((error?: Error) => void)[] = []
  const client = withQuestions(
    aClient({
      request: async () =>
        new Promise((resolve, reject) => {
          answers.push((error) => (error ? reject(error) : resolve({})))
        }),
    }),
    () => waits.push('begun'),
    () => waits.push('ended'),
  )
  const first = client.request('a', {})
  const second = client.request('b', {})
  answers[0]?.()
  await first
  expect(waits).toEqual(['begun'])
  answers[1]?.(new Error('no'))
  await expect(second).rejects.toThrow('no')
  expect(waits).toEqual(['begun', 'ended'])
  const third = client.request('c', {})
  expect(waits).toEqual(['begun', 'ended', 'begun'])
  answers[2]?.()
  await third
  expect(waits).toEqual(['begun', 'ended', 'begun', 'ended'])
})
