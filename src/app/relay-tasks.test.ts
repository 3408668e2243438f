import { expect, it } from 'vitest'
import { aCall, anUpstream } from '../../test/support/a-call.ts'
import type { CallRelay } from '../fronts/call-relay.ts'
import { ownerOfResults } from '../gateway/agents/on-behalf-of.ts'
import { createTaskIds } from '../gateway/tasks/task-ids.ts'
import { Tasks } from '../gateway/tasks/tasks.ts'
import type { JsonObject } from '../base/json/json.ts'
import { serveTasks } from './relay-tasks.ts'

it('asks a server about a task in the name of the person whose task it is', async () => {
  const asked: unknown[] = []
  const seenBy = (person: string) =>
    anUpstream({
      name: 'mail',
      kind: 'stdio',
      async request(method, params) {
        asked.push([person, method, params])
        return { taskId: 'u1', status: 'working' }
      },
    })
  const upstream = { ...seenBy('nobody'), as: seenBy }
  const tasks = new Tasks({ ids: createTaskIds(() => Buffer.alloc(32, 7)) })
  const person = { user: 'ada@example.com', groups: [] }
  const agent = { id: 'sub', ancestors: ['claude'], proof: 'sign-in', person } as const
  const taskId = tasks.sealUpstream(
    aCall({ agent, upstream }),
    { taskId: 'u1' },
    { era: 'modern', connection: 'c1' },
  )
  let answer: Parameters<CallRelay['serve']>[1] | undefined
  const relay: CallRelay = {
    replica: 'here',
    forward: async () => ({}),
    serve(_kind, given) {
      answer = given
      return () => undefined
    },
  }
  serveTasks(relay, tasks, () => upstream)
  const responses: JsonObject = { method: 'tasks/get', params: { taskId } }
  const continuation = { state: taskId, owner: ownerOfResults(agent), responses }
  const { signal } = new AbortController()
  expect(await answer?.(continuation, { signal, notify: () => {} })).toEqual({
    taskId,
    status: 'working',
  })
  expect(asked).toEqual([['user:ada@example.com', 'tasks/get', { taskId: 'u1' }]])
})
