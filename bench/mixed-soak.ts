/**
 * Many sessions of many agents call shared servers and servers with one process per session or
 * agent, run scripts, create tasks, and read mail after signing in. Some sessions are ended and
 * some abandoned, some tasks are cancelled. Afterwards the children, descriptors and memory of the
 * gateway must be back at their earlier level.
 *
 *   npm run bench -- soak [--minutes 5] [--clients 12]
 */
import { readFileSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startMailServer } from '../test/support/mail-server.ts'
import { rssMb } from './load/processes.ts'
import { Rig } from './attack/rig.ts'
import { hostile } from './attack/servers.ts'
import { signInTo } from './attack/sign-ins.ts'

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    clients: { type: 'string', default: '12' },
  },
})

interface Held {
  readonly children: number
  readonly descriptors: number
  readonly mb: number
}

const AGENTS = Array.from({ length: 10 }, (_, n) => `agent${n}`)
const IDLE_MS = 5_000
/** Allows for a warm cache and for garbage that a busy machine has not collected yet. */
const MAX_MORE_MB = 60
const MAX_MORE_DESCRIPTORS = 5

const TASK_SERVER = resolve(import.meta.dirname, '../test/support/tasks/task-server.mjs')
const ends: (() => unknown)[] = []
const mail = await startMailServer((end) => void ends.push(end))
const rig = await Rig.open({
  servers: {
    mail: { url: mail.url },
    jobs: { command: process.execPath, args: [TASK_SERVER, 'jobs'] },
    shared: hostile(),
    sessions: { ...hostile(), session: 'per-session' },
    agents: { ...hostile(), session: 'per-agent' },
    dies: hostile('dies'),
  },
  rules: {
    agents: Object.fromEntries(
      AGENTS.map((id) => [id, { allow: { servers: ['*'], scripts: true } }]),
    ),
  },
  env: { PORTOLAN_KEYRING: 'off' },
  settings: {
    auth: { required: true },
    upstreams: { releaseMs: IDLE_MS, idleMs: IDLE_MS },
    builtins: { traces: true },
  },
})

const keys = new Map(AGENTS.map((agent) => [agent, rig.keyOf(agent)]))
for (const [agent, key] of keys) await signInTo('mail', agent, rig, key)

function held(): Held {
  return {
    children: childrenOf(rig.pid),
    descriptors: readdirSync(`/proc/${rig.pid}/fd`).length,
    mb: Math.round(rssMb(rig.pid)),
  }
}

function childrenOf(pid: number): number {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return (
        readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(pid)
      )
    } catch {
      return false
    }
  }).length
}

let calls = 0
let failed = 0
let sessions = 0
const succeeded = { scripts: 0, tasks: 0, mail: 0 }

const SCRIPT =
  "const [a, b] = await Promise.all([tools.shared.echo({ text: 'a' }), tools.shared.echo({ text: 'b' })]); return a + b"
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

function count(kind: keyof typeof succeeded, isRight: boolean): void {
  calls += 1
  if (isRight) succeeded[kind] += 1
  else failed += 1
}

/** The calls of a modern client: a script, a task, and a read of its mail. */
async function callModern(agent: string): Promise<void> {
  const headers = { authorization: `Bearer ${keys.get(agent)}` }
  count('scripts', (await rig.call('run_script', { code: SCRIPT }, { headers })).includes('ab'))
  count('mail', (await rig.call('mail__whoami', {}, { headers })).includes(`you are ${agent}`))
  const client = { headers, capabilities: TASKS }
  const made = await rig.call('jobs__slow_compute', { seconds: 0.2 }, client)
  const taskId = /"taskId":"([^"]+)"/.exec(made)?.[1]
  if (taskId === undefined) return count('tasks', false)
  if (Math.random() < 0.3) {
    const { text } = await rig.request('tasks/cancel', { taskId }, client)
    return count('tasks', text.includes('"result"'))
  }
  for (let polls = 0; polls < 50; polls += 1) {
    const { text } = await rig.request('tasks/get', { taskId }, client)
    if (text.includes('"completed"')) return count('tasks', true)
    await sleep(200)
  }
  return count('tasks', false)
}

/** One session: a handshake, some calls, and in half of the cases an explicit end. */
async function live(agent: string): Promise<void> {
  sessions += 1
  const initialize = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'soak', version: '1' },
    },
  }
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${keys.get(agent)}`,
  }
  const url = `${rig.url}/mcp?surface=direct`
  const opened = await fetch(url, { method: 'POST', headers, body: JSON.stringify(initialize) })
  await opened.text()
  const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  for (let n = 1; n <= 6; n += 1) {
    const [name, args] = CALLS[Math.floor(Math.random() * CALLS.length)] ?? CALLS[0]
    const body = { jsonrpc: '2.0', id: n, method: 'tools/call', params: { name, arguments: args } }
    const answer = await fetch(url, {
      method: 'POST',
      headers: session,
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    calls += 1
    if (!name.startsWith('dies') && !text.includes('"result"')) failed += 1
  }
  if (Math.random() < 0.5) await fetch(url, { method: 'DELETE', headers: session })
}

const CALLS: readonly [
  readonly [name: string, args: object],
  ...(readonly [name: string, args: object])[],
] = [
  ['shared__echo', { text: 'hello' }],
  ['sessions__counted', {}],
  ['agents__counted', {}],
  ['shared__large', { lines: 2_000 }],
  ['traces__list_tags', {}],
  ['dies__echo', {}],
]

async function oneRound(agent: string): Promise<void> {
  await live(agent)
  await callModern(agent)
}

async function run(untilMs: number): Promise<void> {
  const client = async (n: number) => {
    for (let round = n; performance.now() < untilMs; round += 1)
      await oneRound(AGENTS[round % AGENTS.length] ?? '').catch(() => {
        failed += 1
      })
  }
  await Promise.all(Array.from({ length: Number(options.clients) }, async (_, n) => client(n)))
}

// Warm-up: memory for what is loaded once is not a leak.
await run(performance.now() + 15_000)
await sleep(4 * IDLE_MS)
const before = held()
const warm = { calls, failed, sessions, ...succeeded }
await run(performance.now() + Number(options.minutes) * 60_000)
const during = held()
let after = held()
for (let waited = 0; waited < 60 && !isBack(after); waited += 1) {
  await sleep(1_000)
  after = held()
}

function isBack({ children, descriptors, mb }: Held): boolean {
  return (
    children <= before.children &&
    descriptors <= before.descriptors + MAX_MORE_DESCRIPTORS &&
    mb <= before.mb + MAX_MORE_MB
  )
}

const back = isBack(after)
console.log(
  `before ${JSON.stringify(before)}, at the end ${JSON.stringify(during)}, after ${JSON.stringify(after)}`,
)
const counts = {
  calls: calls - warm.calls,
  failed: failed - warm.failed,
  sessions: sessions - warm.sessions,
  scripts: succeeded.scripts - warm.scripts,
  tasks: succeeded.tasks - warm.tasks,
  mail: succeeded.mail - warm.mail,
}
await rig.discard()
for (const end of ends) await end()
console.log(
  `RESULT ${JSON.stringify({ minutes: Number(options.minutes), ...counts, back, before, during, after })}`,
)
process.exit(back ? 0 : 1)
