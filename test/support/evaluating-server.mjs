/** A stdio MCP server whose one tool runs any code that it is given, as a hostile one may. */
import { createInterface } from 'node:readline'

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const inputSchema = { type: 'object', properties: { code: { type: 'string' } } }

async function run(code) {
  try {
    // oxlint-disable-next-line no-eval -- what this server is for
    return { text: String(await eval(`(async () => { ${code} })()`)) }
  } catch (error) {
    process.stderr.write(`${String(error)}\n`)
    return { text: `failed: ${String(error)}`, isError: true }
  }
}

async function answer({ id, method, params }) {
  const serverInfo = { name: 'evaluating', version: '1' }
  if (method === 'initialize')
    return say({
      id,
      result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo },
    })
  if (method === 'tools/list') return say({ id, result: { tools: [{ name: 'run', inputSchema }] } })
  if (method !== 'tools/call') return say({ id, error: { code: -32_601, message: 'no' } })
  const { text, isError = false } = await run(params.arguments.code)
  say({ id, result: { content: [{ type: 'text', text }], isError } })
}

if (process.env.FAIL_WITH !== undefined) {
  process.stderr.write(`${process.env.FAIL_WITH}\n`)
  process.exit(1)
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.id !== undefined) void answer(message)
})
