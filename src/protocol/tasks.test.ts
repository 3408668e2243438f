import { describe, expect, it, vi } from 'vitest'
import { RPC, RpcError } from './json-rpc.ts'
import {
  TASKS_EXTENSION,
  declaresTasks,
  isTaskRequest,
  isTerminal,
  missingTasks,
  requiresTasks,
  taskOf,
  withTasks,
} from './tasks.ts'
import {
  TaskProgress,
  toLegacyTask,
  withRelatedTask,
  withoutRelatedTask,
} from './eras/legacy/tasks.ts'

const RELATED = 'io.modelcontextprotocol/related-task'

it('knows the requests about tasks, and no others', () => {
  for (const method of ['get', 'update', 'cancel', 'result'])
    expect(isTaskRequest(`tasks/${method}`)).toBe(true)
  for (const method of ['tasks/list', 'tools/call', 'tasks'])
    expect(isTaskRequest(method)).toBe(false)
})

it('declares the extension beside others, and knows who has', () => {
  const other = { extensions: { other: {} }, roots: {} }
  expect([declaresTasks(other), declaresTasks({}), declaresTasks({ extensions: 'x' })]).toEqual([
    false,
    false,
    false,
  ])
  expect(withTasks(other)).toEqual({
    extensions: { other: {}, [TASKS_EXTENSION]: {} },
    roots: {},
  })
  expect(withTasks({ extensions: 'x' })).toEqual({ extensions: { [TASKS_EXTENSION]: {} } })
  expect(declaresTasks(withTasks({}))).toBe(true)
})

describe('the task of an answer', () => {
  it('is the answer itself, where it says so and has an id', () => {
    const modern = { resultType: 'task', taskId: 't1', ttlMs: 5 }
    expect(taskOf(modern)).toBe(modern)
    expect(taskOf({ ...modern, resultType: 'complete' })).toBeUndefined()
    expect(taskOf({ ...modern, taskId: 7 })).toBeUndefined()
  })

  it('is inside it in the earlier era, and is given the names of the later one', () => {
    const task = { taskId: 't1', status: 'working', ttl: 5, pollInterval: 7, more: true }
    expect(taskOf({ task })).toEqual({
      taskId: 't1',
      status: 'working',
      ttlMs: 5,
      pollIntervalMs: 7,
      more: true,
    })
    expect(taskOf({ task: { taskId: 't1', status: 'working' } })).toEqual({
      taskId: 't1',
      status: 'working',
      ttlMs: null,
    })
    for (const broken of [
      { taskId: 't1' },
      { status: 'working' },
      { taskId: 1, status: 'x' },
      't1',
    ])
      expect(taskOf({ task: broken })).toBeUndefined()
    expect(taskOf({})).toBeUndefined()
  })
})

it('knows when a task is over', () => {
  const over = ['completed', 'failed', 'cancelled', 'working', 'input_required', undefined]
  expect(over.map((status) => isTerminal({ status }))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})

describe('a task for a client of the earlier era', () => {
  const task = {
    resultType: 'task',
    taskId: 't1',
    status: 'completed',
    ttlMs: 5,
    pollIntervalMs: 7,
  }

  it('has the earlier names, and neither its result nor its questions', () => {
    expect(toLegacyTask({ ...task, result: { content: [] }, inputRequests: {} })).toEqual({
      taskId: 't1',
      status: 'completed',
      ttl: 5,
      pollInterval: 7,
    })
    expect(toLegacyTask({ taskId: 't1', status: 'working' })).toEqual({
      taskId: 't1',
      status: 'working',
      ttl: null,
    })
  })

  it('has failed where its result is an error', () => {
    expect(toLegacyTask({ ...task, result: { isError: true } })['status']).toBe('failed')
    expect(toLegacyTask({ ...task, result: { isError: false } })['status']).toBe('completed')
  })

  it('says why it failed, unless it already says something', () => {
    const failed = { ...task, status: 'failed', error: { message: 'broke' } }
    expect(toLegacyTask(failed)['statusMessage']).toBe('broke')
    expect(toLegacyTask({ ...failed, statusMessage: 'stopped' })['statusMessage']).toBe('stopped')
    expect(toLegacyTask(task)).not.toHaveProperty('statusMessage')
    expect(toLegacyTask(failed)).not.toHaveProperty('error')
  })
})

it('says which task a message belongs to, and takes only that back', () => {
  const related = withRelatedTask({ a: 1, _meta: { kept: true } }, 't1')
  expect(related).toEqual({ a: 1, _meta: { kept: true, [RELATED]: { taskId: 't1' } } })
  expect(withoutRelatedTask(related)).toEqual({ a: 1, _meta: { kept: true } })
  expect(withoutRelatedTask(withRelatedTask({ a: 1 }, 't1'))).toEqual({ a: 1 })
  for (const message of [{ a: 1 }, { a: 1, _meta: { kept: true } }, { _meta: 'x' }])
    expect(withoutRelatedTask(message)).toBe(message)
})

it('knows the refusal of a server that answers with tasks only', () => {
  expect(requiresTasks(missingTasks())).toBe(true)
  const data = { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } }
  expect(requiresTasks(new RpcError(RPC.invalidParams, 'x', data))).toBe(false)
  expect(requiresTasks(new RpcError(RPC.missingCapability, 'x', data))).toBe(true)
  for (const other of [undefined, 'x', {}, { requiredCapabilities: { extensions: {} } }])
    expect(requiresTasks(new RpcError(RPC.missingCapability, 'x', other))).toBe(false)
  expect(requiresTasks(new Error('x'))).toBe(false)
})

const created = (status = 'working') => ({ task: { taskId: 'a', status } })

describe('the progress of tasks', () => {
  it('is passed on for the last hundred tasks of a connection', () => {
    const progress = new TaskProgress()
    const one = vi.fn<() => void>()
    for (let token = 1; token <= 101; token++) progress.keep(token, created(), one)
    expect([1, 2, 101, 102].map((token) => progress.listener(token))).toEqual([
      undefined,
      one,
      one,
      undefined,
    ])
  })

  it('is not expected of other answers, nor of a task that has ended already', () => {
    const progress = new TaskProgress()
    const answers = [{}, { task: 'a' }, created('failed')]
    for (const [token, answer] of answers.entries()) {
      progress.keep(token, answer, () => {})
      expect(progress.listener(token)).toBeUndefined()
    }
  })
})
