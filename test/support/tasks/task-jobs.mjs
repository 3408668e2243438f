// A server with the tools that the tasks scenarios of the official suite expect, whatever carries its messages.
import { randomUUID } from 'node:crypto'

const EXTENSION = 'io.modelcontextprotocol/tasks'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const VERSION = '2026-07-28'
const REQUIRED = { requiredCapabilities: { extensions: { [EXTENSION]: {} } } }
const POLL_MS = 50

export class Failure extends Error {
  constructor(code, message, data) {
    super(message)
    Object.assign(this, { code, data })
  }
}

const text = (words) => ({ content: [{ type: 'text', text: words }] })
const sleep = async (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), reject(new Error('aborted'))))
  })
const elicit = (message) => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } } },
  },
})

/** `work` is the job; `required` tools run as tasks only. */
const TOOLS = {
  greet: { sync: true, work: async ({ name }) => text(`Hello, ${name}!`) },
  slow_compute: {
    work: async ({ seconds = 0, label = '' }, { signal }) => {
      await sleep(seconds * 1000, signal)
      return text(`computed ${label}`)
    },
  },
  failing_job: {
    required: true,
    work: async () => ({ ...text('the job went wrong'), isError: true }),
  },
  protocol_error_job: {
    work: async () => {
      throw new Failure(-32603, 'the job broke down')
    },
  },
  confirm_delete: {
    work: async ({ filename }, { ask }) => {
      const answer = await ask(elicit(`Delete ${filename}?`))
      return text(`${answer.action} ${filename}`)
    },
  },
  multi_input: {
    work: async (_, { ask }) => {
      const answers = await Promise.all([ask(elicit('first?')), ask(elicit('second?'))])
      return text(answers.map(({ action }) => action).join(' '))
    },
  },
  test_tool_with_task: {
    required: true,
    asks: 'user_name',
    work: async (_, { given }) => text(`done for ${given.user_name?.content?.name}`),
  },
}

function describe({ job: _job, questions, ...task }) {
  const open = Object.fromEntries([...questions].map(([key, { request }]) => [key, request]))
  return { ...task, ...(task.status === 'input_required' && { inputRequests: open }) }
}

/** A client without tasks cannot be asked either. */
const decline = async () => ({ action: 'decline' })

/** `name` is said by every result, `counting` numbers the tasks instead of drawing ids at random. */
export function createTaskServer({ name = 'jobs', counting = false } = {}) {
  const tasks = new Map()
  const listeners = new Set()
  let made = 0

  function change(task, update) {
    if (['completed', 'failed', 'cancelled'].includes(task.status)) return
    Object.assign(task, update, { lastUpdatedAt: new Date().toISOString() })
    for (const listener of listeners) listener(describe(task))
  }

  function start(tool, args, given) {
    const job = new AbortController()
    const at = new Date().toISOString()
    const task = {
      taskId: counting ? `task-${++made}` : randomUUID(),
      status: 'working',
      createdAt: at,
      lastUpdatedAt: at,
      ttlMs: 600_000,
      pollIntervalMs: POLL_MS,
      job,
      questions: new Map(),
    }
    tasks.set(task.taskId, task)
    const ask = async (request) =>
      new Promise((resolve) => {
        task.questions.set(randomUUID(), { request, resolve })
        change(task, { status: 'input_required' })
      })
    TOOLS[tool].work(args, { signal: job.signal, ask, given }).then(
      (result) =>
        change(task, { status: 'completed', result: { ...result, _meta: { server: name } } }),
      ({ code = -32603, message }) => change(task, { status: 'failed', error: { code, message } }),
    )
    return task
  }

  async function call({ name: tool, arguments: args = {}, inputResponses = {} }, declares) {
    const known = TOOLS[tool]
    if (!known) throw new Failure(-32602, `Unknown tool: ${tool}`)
    if (known.required && !declares)
      throw new Failure(-32021, 'Missing required client capability', REQUIRED)
    if (known.asks && !inputResponses[known.asks])
      return { resultType: 'input_required', inputRequests: { [known.asks]: elicit('Who?') } }
    if (known.sync || !declares) {
      const signal = new AbortController().signal
      const result = await known.work(args, { signal, ask: decline, given: inputResponses })
      return { resultType: 'complete', ...result, _meta: { server: name } }
    }
    const {
      result: _result,
      error: _error,
      ...created
    } = describe(start(tool, args, inputResponses))
    return { resultType: 'task', ...created }
  }

  function find(taskId) {
    const task = tasks.get(taskId)
    if (!task) throw new Failure(-32602, 'Task not found')
    return task
  }

  const methods = {
    'server/discover': () => ({
      supportedVersions: [VERSION],
      capabilities: { tools: {}, extensions: { [EXTENSION]: {} } },
      _meta: { 'io.modelcontextprotocol/serverInfo': { name, version: '1.0.0' } },
      ttlMs: 0,
      cacheScope: 'private',
    }),
    'tools/list': () => ({
      tools: Object.keys(TOOLS).map((tool) => ({
        name: tool,
        description: `The job ${tool}`,
        inputSchema: { type: 'object' },
        ...(tool === 'slow_compute' && { annotations: { readOnlyHint: true } }),
      })),
      ttlMs: 0,
      cacheScope: 'private',
    }),
    'tools/call': call,
    'tasks/get': ({ taskId }) => describe(find(taskId)),
    'tasks/update': ({ taskId, inputResponses = {} }) => {
      const task = find(taskId)
      for (const [key, answer] of Object.entries(inputResponses)) {
        const question = task.questions.get(key)
        task.questions.delete(key)
        if (question && task.questions.size === 0) change(task, { status: 'working' })
        question?.resolve(answer)
      }
      return {}
    },
    'tasks/cancel': ({ taskId }) => {
      const task = find(taskId)
      change(task, { status: 'cancelled' })
      task.job.abort()
      return {}
    },
  }

  return {
    /** The ids of all tasks there are, which no client of the gateway should ever see. */
    ids: () => [...tasks.keys()],
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async answer(method, params = {}) {
      const { _meta: meta = {} } = params
      const capabilities = meta[CAPABILITIES] ?? {}
      const declares = capabilities.extensions?.[EXTENSION] !== undefined
      if (!(method in methods)) throw new Failure(-32601, `Method not found: ${method}`)
      if (method.startsWith('tasks/') && !declares)
        throw new Failure(-32021, 'Missing required client capability', REQUIRED)
      const result = await methods[method](params, declares)
      return { resultType: 'complete', ...result }
    },
  }
}
