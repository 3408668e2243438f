/**
 * A stdio MCP server that lists what a file says now: `node changing-server.mjs <file>`. It says that
 * its tools have changed when the file has; each call is a line in `<file>.calls`. With `next`, every
 * process but the first lists that instead; with `slowMs`, calls take so long.
 */
import { appendFileSync, existsSync, readFileSync, watchFile, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [file = ''] = process.argv.slice(2)
const NOTHING = { tools: [], prompts: [], resources: [], resourceTemplates: [] }
const isFirst = !existsSync(`${file}.started`)
writeFileSync(`${file}.started`, '')

function offered() {
  const { next, ...first } = JSON.parse(readFileSync(file, 'utf8'))
  return { ...NOTHING, ...first, ...(isFirst ? {} : next) }
}

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

let declared = {}

function answer(method, params) {
  const { instructions, more = {}, slowMs: _, ...lists } = offered()
  if (method === 'initialize') {
    declared = params.capabilities ?? {}
    const capabilities = { tools: { listChanged: true }, prompts: {}, resources: {} }
    const serverInfo = { name: 'changing', version: '1' }
    return { protocolVersion: '2025-11-25', capabilities, serverInfo, instructions }
  }
  if (method === 'tools/list') {
    // What only clients are offered that can do more.
    const able = Object.keys(more).filter((name) => declared[name] !== undefined)
    return { tools: [...lists.tools, ...able.flatMap((name) => more[name])] }
  }
  if (method.endsWith('/list')) return lists
  if (method === 'prompts/get') return { messages: [] }
  if (method !== 'tools/call') return {}
  appendFileSync(`${file}.calls`, `${params.name}\n`)
  return { content: [{ type: 'text', text: `${params.name} ran` }] }
}

watchFile(file, { interval: 100 }, () => send({ method: 'notifications/tools/list_changed' }))
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined || !method) continue
  const result = answer(method, params)
  const waitMs = method === 'tools/call' ? offered().slowMs : undefined
  if (waitMs) setTimeout(() => send({ id, result }), waitMs)
  else send({ id, result })
}
process.exit()
