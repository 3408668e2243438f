import { parseArgs } from 'node:util'
import { parseObject } from '../src/base/json/json.ts'
import { runLoad } from './load/run-load.ts'

/**
 * Puts a running gateway of yours under load: answers per second, latencies, errors by code. Half of
 * the clients speak each era; PORTOLAN_KEY is their key; without `--tool` they list the tools.
 *
 *   npm run bench -- load <url> [--seconds 10] [--concurrency 8] [--tool name --args json]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '10' },
    concurrency: { type: 'string', default: '8' },
    tool: { type: 'string' },
    args: { type: 'string', default: '{}' },
  },
})
const [address] = positionals
if (address === undefined) throw new Error('Give the endpoint, such as http://127.0.0.1:7411/mcp')
const key = process.env['PORTOLAN_KEY']
const report = await runLoad({
  url: new URL(address),
  eras: ['legacy', 'modern'],
  work:
    values.tool === undefined
      ? { method: 'tools/list', params: {} }
      : {
          method: 'tools/call',
          params: { name: values.tool, arguments: parseObject(values.args) ?? {} },
        },
  concurrency: Number(values.concurrency),
  durationMs: Number(values.seconds) * 1_000,
  timeoutMs: 10_000,
  headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
})
console.log(`RESULT ${JSON.stringify(report)}`)
