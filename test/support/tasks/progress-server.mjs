// A server made with version 1 of the official SDK, whose task reports progress while it runs.
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

const STEPS = 5
const STEP_MS = 100

const taskStore = new InMemoryTaskStore()
const capabilities = { tasks: { requests: { tools: { call: {} } } } }
const server = new McpServer({ name: 'progress', version: '1.0.0' }, { capabilities, taskStore })

async function work({ taskId }, progressToken) {
  for (let progress = 1; progress <= STEPS; progress++) {
    await wait(STEP_MS)
    const params = { progressToken, progress, total: STEPS, message: `step ${progress}` }
    if (progressToken !== undefined)
      await server.server.notification({ method: 'notifications/progress', params })
  }
  // Over HTTP, progress and result arrive on different connections.
  await wait(STEP_MS)
  const content = [{ type: 'text', text: 'ready' }]
  await taskStore.storeTaskResult(taskId, 'completed', { content })
}

const config = { description: 'Works for a while.', execution: { taskSupport: 'required' } }
server.experimental.tasks.registerToolTask('work', config, {
  createTask: async (extra) => {
    const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 100 })
    const { _meta: meta } = extra
    void work(task, meta?.progressToken)
    return { task }
  },
  getTask: async ({ taskId, taskStore: tasks }) => tasks.getTask(taskId),
  getTaskResult: async ({ taskId, taskStore: tasks }) => tasks.getTaskResult(taskId),
})

const port = process.argv[2]
if (port === undefined) await server.connect(new StdioServerTransport())
else {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'only' })
  await server.connect(transport)
  createServer((request, response) => transport.handleRequest(request, response)).listen(
    Number(port),
    '127.0.0.1',
    () => console.error('listening'),
  )
}
