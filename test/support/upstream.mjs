/**
 * A stdio MCP server for tests, without any SDK.
 * --era legacy|modern|both (legacy by default) · --exit-on-discover · --hang-discover · --starts FILE (one line a start)
 * --tools N · --times N (lists each tool so often) · --extras (tasks, a page, a skill) · --name NAME · --extension NAME · --resources N · --page-size N · --hang-init · --slow-init MS · --die-on-start · --ignore-sigterm · --ignore-stdin-end
 */
import { appendFileSync } from 'node:fs'
import { flags } from './upstream/flags.mjs'
import { Peer, Upstream } from './upstream/server.mjs'

if (flags.starts) appendFileSync(flags.starts, `${process.pid}\n`)
if (flags['die-on-start']) {
  process.stderr.write('upstream: dying on start, as asked\n')
  process.exit(3)
}
if (flags['ignore-sigterm']) process.on('SIGTERM', () => process.stderr.write('SIGTERM ignored\n'))

const stream = {
  send: (message) => process.stdout.write(`${JSON.stringify(message)}\n`),
  end: (message) => process.stdout.write(`${JSON.stringify(message)}\n`),
  endRaw: (text) => process.stdout.write(`${text}\n`),
  raw: (line) => process.stdout.write(`${line}\n`),
  cut() {
    process.stdout.write('{"jsonrpc":"2.0","id":')
    process.stdout.end(() => process.exit(18))
  },
}
const era = flags.era ?? 'legacy'
const upstream = new Upstream({
  era,
  name: flags.name ?? undefined,
  extension: flags.extension ?? undefined,
  resources: Number(flags.resources ?? 0),
  tools: Number(flags.tools ?? 0),
  pageSize: Number(flags['page-size'] ?? 1_000),
  times: Number(flags.times ?? 1),
  extras: flags.extras === true,
})
const peer = new Peer(upstream, stream)

function receiveLine(line) {
  if (line === '') return
  let message
  try {
    message = JSON.parse(line)
  } catch {
    stream.send({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } })
    return
  }
  if (message.method === 'initialize' && flags['hang-init']) return
  if (message.method === 'server/discover' && flags['hang-discover']) return
  if (message.method === 'server/discover' && flags['exit-on-discover']) process.exit(4)
  const delay = message.method === 'initialize' ? Number(flags['slow-init'] ?? 0) : 0
  if (delay > 0) setTimeout(() => void peer.receive(message, stream), delay)
  else void peer.receive(message, stream)
}

/** Chunks of a line that is not whole yet; joined once, so that 10 MB take linear time. */
let parts = []
process.stdin.on('data', (chunk) => {
  let from = 0
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
    parts.push(chunk.subarray(from, at))
    receiveLine(Buffer.concat(parts).toString())
    parts = []
    from = at + 1
  }
  if (from < chunk.length) parts.push(chunk.subarray(from))
})
process.stdin.on('end', () => {
  if (!flags['ignore-stdin-end']) process.exit(0)
})
if (flags['ignore-stdin-end']) setInterval(() => {}, 60_000)
