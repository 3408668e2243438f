// The same server as a child process: `node task-server.mjs [name]`; its tasks are numbered.
import { createInterface } from 'node:readline'
import { createTaskServer } from './task-jobs.mjs'

const server = createTaskServer({ name: process.argv[2], counting: true })
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  try {
    send({ id, result: await server.answer(method, params) })
  } catch ({ code = -32603, message, data }) {
    send({ id, error: { code, message, data } })
  }
})
