import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { type LegacyTask, askLegacyServer } from './ask-legacy-server.ts'
import type { TaskRecord } from './task-records.ts'

const TASK = { taskId: 'u1', ttl: 9, pollInterval: 5 }
const KNOWN = { taskId: 'u1', ttlMs: 9, pollIntervalMs: 5 }
const RESULT = { content: [], _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'u1' } } }
const ref = {
  server: 's',
  tool: 't',
  owner: 'ada',
  replica: '',
  connection: 's1',
  upstreamId: 'u1',
  era: 'legacy',
  heldId: 'h1',
  run: 'a1b2c3d4',
  createdAt: 1000,
  ttlMs: 500,
} as const

/** A server that gives this status of its task, and this result or error. */
function aServer(task: JsonObject, result: JsonObject | Error = RESULT, parts?: object) {
  const sent: [method: string, params: unknown][] = []
  const answers: unknown[] = []
  const put: TaskRecord[] = []
  const legacy: LegacyTask = {
    taskId: 'pt_1',
    ref,
    stored: undefined,
    server: {
      ask: async (method, params) => {
        sent.push([method, params])
        if (method !== 'tasks/result') return task
        if (result instanceof Error) throw result
        return result
      },
      answer: async (...answer) => void answers.push(answer),
    },
    records: {
      put: async (record) => void put.push(record),
      read: async () => undefined,
    },
    ...parts,
  }
  const ask = async (method: string, params: JsonObject = {}) =>
    askLegacyServer(method, params, legacy)
  return { sent, answers, put, ask }
}

describe('a task of 2025-11-25 whose process has ended', () => {
  it('is given in the form of the extension, and its result is not asked for while it runs', async () => {
    for (const status of ['working', 'cancelled']) {
      const { ask, sent } = aServer({ ...TASK, status })
      expect(await ask('tasks/get')).toEqual({ ...KNOWN, status })
      expect(sent).toEqual([['tasks/get', { taskId: 'pt_1' }]])
    }
  })

  it('has its result, whatever the server calls its state', async () => {
    for (const status of ['completed', 'failed']) {
      const { ask, sent } = aServer({ ...TASK, status })
      const result = { content: [] }
      expect(await ask('tasks/get')).toEqual({ ...KNOWN, status: 'completed', result })
      expect(sent.at(-1)).toEqual(['tasks/result', { taskId: 'pt_1' }])
    }
  })

  it('has failed with the error that the server gives for its result, and with no other', async () => {
    const refused = aServer({ ...TASK, status: 'failed' }, new RpcError(-32_001, 'broken'))
    expect(await refused.ask('tasks/get')).toEqual({
      ...KNOWN,
      status: 'failed',
      error: { code: -32_001, message: 'broken' },
    })
    const down = aServer({ ...TASK, status: 'failed' }, new TypeError('down'))
    await expect(down.ask('tasks/get')).rejects.toThrow('down')
  })

  it('is not known where the server gives none, and says nothing when it is cancelled', async () => {
    await expect(aServer({}).ask('tasks/get')).rejects.toMatchObject({ code: -32_602 })
    await expect(aServer({}).ask('tasks/cancel')).rejects.toMatchObject({ code: -32_602 })
    const { ask, sent } = aServer({ ...TASK, status: 'completed' })
    expect(await ask('tasks/cancel')).toEqual({})
    expect(sent).toEqual([['tasks/cancel', { taskId: 'pt_1' }]])
  })
})

describe('its questions', () => {
  const roots = { method: 'roots/list', params: {} }
  const sure = { method: 'elicitation/create', params: { message: 'Sure?' } }
  const questions = {
    q1: { ...roots, id: 4 },
    q2: { ...sure, id: 'five' },
    q3: { ...sure, id: 6 },
    q4: { ...sure, id: null },
    q5: 'no question',
  }
  const stored = { status: 'input_required', questions }

  it('are those that were stored', async () => {
    const task = { ...TASK, status: 'input_required' }
    expect(await aServer(task, RESULT, { stored }).ask('tasks/get')).toEqual({
      ...KNOWN,
      status: 'input_required',
      inputRequests: { q1: roots, q2: sure, q3: sure, q4: sure },
    })
    for (const none of [undefined, {}, { questions: 'none' }])
      expect(await aServer(task, RESULT, { stored: none }).ask('tasks/get')).toMatchObject({
        inputRequests: {},
      })
  })

  it('are answered in the session of the server, and what is left stays stored', async () => {
    const { ask, answers, put, sent } = aServer({}, RESULT, { stored })
    const accept = { action: 'accept' }
    const inputResponses = { q1: { roots: [] }, q2: accept, q3: 'yes', q4: accept, q9: accept }
    expect(await ask('tasks/update', { inputResponses })).toEqual({})
    expect(answers).toEqual([
      [4, { roots: [] }, { session: 's1' }],
      ['five', accept, { session: 's1' }],
    ])
    const { q3, q4 } = questions
    const state = { status: 'working', questions: { q3, q4 } }
    expect(put).toEqual([{ id: 'h1', owner: 'ada', expiresAt: 1500, state }])
    expect(sent, 'nothing is asked').toEqual([])
  })

  it('stay where the answers are none', async () => {
    const { ask, answers, put } = aServer({}, RESULT, { stored })
    await ask('tasks/update', { inputResponses: 'yes' })
    expect(answers).toEqual([])
    expect(Object.keys(Object(put[0]?.state['questions']))).toEqual(['q1', 'q2', 'q3', 'q4'])
  })

  it('need neither a store nor a server that takes answers', async () => {
    const answered = { inputResponses: { q1: { roots: [] } } }
    const unstored = aServer({}, RESULT, { stored, records: undefined })
    expect(await unstored.ask('tasks/update', answered)).toEqual({})
    expect(unstored.answers).toHaveLength(1)
    const silent = aServer({}, RESULT, { stored, server: { ask: async () => ({}) } })
    expect(await silent.ask('tasks/update', answered)).toEqual({})
  })
})
