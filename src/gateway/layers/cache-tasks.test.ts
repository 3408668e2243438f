import { expect, it } from 'vitest'
import { aClient } from '../../../test/support/a-call.ts'
import { aTool, cached, read } from '../../../test/support/cached.ts'

const withTasks = aClient({ capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } })

it('neither stores a task nor gives it to two callers who ask the same at once', async () => {
  const { handle, become } = cached({ defaultMs: 1000, shared: true })
  let made = 0
  become(async () => ({ resultType: 'task', taskId: `t${++made}`, status: 'working' }))
  const [one, two] = await Promise.all([
    handle(read({}, { client: withTasks })),
    handle(read({}, { client: withTasks })),
  ])
  expect([one['taskId'], two['taskId']]).toEqual(['t1', 't2'])
  expect((await handle(read({}, { client: withTasks })))['taskId']).toBe('t3')
  become(async () => ({ task: { taskId: 'old', status: 'working' } }))
  const asking = { client: aClient(), params: { name: 'query', arguments: {}, task: {} } }
  await handle(read({}, asking))
  become(async () => ({ content: ['whole'] }))
  expect(await handle(read({}))).toEqual({ content: ['whole'] })
  // What is stored is good for a client with tasks as well.
  become(async () => ({ content: ['newer'] }))
  expect(await handle(read({}, { client: withTasks }))).toEqual({ content: ['whole'] })
})

it('asks a server about its task every time, and forgets what the task has changed', async () => {
  const { handle, asked, become } = cached()
  await handle(read({}))
  const about = read(
    {},
    { method: 'tasks/get', params: { taskId: 't' }, tool: aTool('write', false) },
  )
  become(async () => ({ taskId: 't', status: 'working' }))
  await handle(about)
  await handle(about)
  expect(asked()).toBe(3)
  await handle(read({}))
  expect(asked(), 'still stored').toBe(3)
  become(async () => ({ taskId: 't', status: 'completed', result: {} }))
  await handle(about)
  await handle(read({}))
  expect(asked()).toBe(5)
})

it('forgets what a task may have changed with its result too, however that ended', async () => {
  const { handle, asked, become } = cached()
  const write = { method: 'tasks/result', tool: aTool('write', false) }
  const about = { client: aClient({ era: 'legacy' }), params: { taskId: 't' } } as const
  await handle(read({}))
  become(async () => Promise.reject(new Error('failed')))
  await expect(handle(read({}, { ...write, ...about }))).rejects.toThrow('failed')
  become(async () => ({ content: [] }))
  await handle(read({}))
  expect(asked()).toBe(3)
  await handle(read({}, { ...write, ...about, tool: aTool('read', true) }))
  await handle(read({}))
  expect(asked(), 'a read changes nothing').toBe(4)
})
