import { execFile } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { messageOf } from '../../src/base/errors.ts'
import { type JsonObject, isObject } from '../../src/base/json/json.ts'
import { openSavedScripts } from '../../src/builtins/scripts/open-saved-scripts.ts'
import type { RawClient } from '../../test/support/clients/raw-client.ts'
import { openHttp, openSse, openWebSocket } from '../../test/support/clients/wires.ts'
import { Asker } from './approvals.ts'
import type { Attack, Field } from './report.ts'
import { MAIN, Rig, until } from './rig.ts'

const ADA = { agent: 'ada' }
const HEADERS = { 'x-agent-id': 'ada' }
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const AT_ONCE = 20
const KILLS = 8
/** What is sent late is counted as well. */
const SETTLE_MS = 300

/** Calls that need an approval, by every way in, in two processes, and with a kill in between. */
export const approvalWays: Attack = {
  name: 'calls that need an approval, by every way in',
  async run(field) {
    await byEachWay(field)
    await killedBetween(field)
  },
}

export function countingServer() {
  const program = join(import.meta.dirname, 'counting-server.mjs')
  const command = `exec "$0" ${program} done.txt`
  return { command: '/bin/sh', args: ['-c', command, process.execPath] }
}

/** How often a text has reached the server. */
export function timesDone(rig: Rig, text: string): number {
  const file = join(rig.folder, 'done.txt')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return lines.filter((line) => line === text).length
}

async function open(more: JsonObject = {}, folder?: string): Promise<Rig> {
  const text = { name: 'text', in: 'query', schema: { type: 'string' } }
  const act = {
    operationId: 'act',
    parameters: [text],
    responses: { 200: { description: 'Done' } },
  }
  const info = { title: 'An API', version: '1' }
  const api = { openapi: '3.1.0', info, paths: { '/act': { post: act } } }
  return Rig.open({
    servers: { one: countingServer(), traces: { builtin: 'traces' }, ...more },
    rules: {
      agents: {
        ada: {
          allow: { servers: ['*'], scripts: true },
          ask: { servers: ['one', 'api', 'traces'] },
        },
      },
    },
    settings: { approvals: { waitMs: 50 } },
    files: { 'api.json': JSON.stringify(api) },
    ...(folder !== undefined && { folder }),
  })
}

interface Way {
  /** Makes the call, and returns what its caller reads. */
  readonly send: (text: string) => Promise<string>
  /** Whether its text reaches the server of this attack, which counts. */
  readonly isCounted?: false
  readonly atOnce?: number
  /** How many calls an approval is for. */
  readonly runs?: number
}

async function byEachWay(field: Field): Promise<void> {
  let rig: Rig | undefined
  await using api = await countingApi(() => rig)
  const entry = { openapi: './api.json', baseUrl: api.url, allowPrivate: true }
  rig = await open({ api: entry })
  const other = await open({ api: entry }, rig.folder)
  try {
    const saved = await openSavedScripts(join(rig.folder, 'home'), undefined)
    const source = 'return await tools.one.act({ text: input.text })'
    const inputSchema = { type: 'object', properties: { text: { type: 'string' } } }
    await saved.save({ name: 'act', description: 'Acts', inputSchema, source }, 'eve')
    for (const [name, way] of Object.entries(await waysOf(rig, other)))
      await tryWay(field, name, way, rig)
  } finally {
    await other.stop()
    await rig.discard()
  }
}

/** An API that writes the texts that it gets where the server writes them. */
async function countingApi(rig: () => Rig | undefined) {
  const server = createServer(({ url = '/' }, response) => {
    const text = new URL(url, 'http://x').searchParams.get('text')
    appendFileSync(join(rig()?.folder ?? '', 'done.txt'), `${text}\n`)
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ did: `did ${text}` }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

async function waysOf(rig: Rig, other: Rig): Promise<Record<string, Way>> {
  const endpoint = `${rig.url}/mcp?surface=direct`
  const capabilities = { roots: {} }
  const legacy = await openHttp('legacy', endpoint, HEADERS, { capabilities, deaf: true })
  const at = `${rig.url.replace('http', 'ws')}/ws?surface=direct`
  const socket = await openWebSocket(at, HEADERS, 'legacy', { capabilities })
  const events = await openSse(`${rig.url}/sse?surface=direct`, HEADERS, { capabilities })
  let turn = 0
  return {
    'a tool': { send: async (text) => rig.call('one__act', { text }, ADA) },
    execute_tool: {
      send: async (text) => {
        const args = { server: 'one', tool: 'act', args: { text } }
        return rig.call('execute_tool', args, { ...ADA, surface: 'discover' })
      },
    },
    'two processes of one data folder': {
      send: async (text) => {
        turn += 1
        return (turn % 2 === 0 ? rig : other).call('one__act', { text }, ADA)
      },
      atOnce: 100,
    },
    'a session of 2025': { send: async (text) => asked(legacy, text) },
    'a WebSocket': { send: async (text) => asked(socket, text) },
    'server-sent events': { send: async (text) => asked(events, text) },
    'a task of 2025': { send: async (text) => asked(legacy, text, { task: {} }) },
    'a task of 2026': {
      send: async (text) => rig.call('one__act', { text }, { ...ADA, capabilities: TASKS }),
    },
    'a script': {
      send: async (text) =>
        rig.call(
          'run_script',
          { code: `return await tools.one.act(${JSON.stringify({ text })})` },
          {
            ...ADA,
            surface: 'scripts',
          },
        ),
    },
    'a script that goes on after errors': {
      send: async (text) =>
        rig.call(
          'run_script',
          {
            code: `for (const n of [1, 2, 3]) try { await tools.one.act({ text: '${text}' }) } catch {}
return 'ended'`,
          },
          { ...ADA, surface: 'scripts' },
        ),
      atOnce: 1,
      // What it plans is asked about as one list.
      runs: 3,
    },
    'a saved script': { send: async (text) => rig.call('scripts__act', { text }, ADA) },
    'a tool of an API': { send: async (text) => rig.call('api__act', { text }, ADA) },
    'a tool whose results are kept': { send: async (text) => rig.call('one__look', { text }, ADA) },
    'a resource': {
      send: async (text) =>
        textOf(async () => legacy.request('resources/read', { uri: `count://${text}` })),
    },
    'a prompt': {
      send: async (text) =>
        textOf(async () => legacy.request('prompts/get', { name: 'greet', arguments: { text } })),
    },
    'a built-in': {
      send: async (text) => rig.call('traces__search_traces', { query: text }, ADA),
      isCounted: false,
    },
    'the command line': { send: async (text) => byCommand(rig, text), atOnce: 3 },
  }
}

async function asked(client: RawClient, text: string, more: JsonObject = {}): Promise<string> {
  const call = { name: 'one__act', arguments: { text }, ...more }
  return textOf(async () => client.request('tools/call', call))
}

function newText(): string {
  return `x${Math.random().toString(36).slice(2)}`
}

async function textOf(request: () => Promise<JsonObject>): Promise<string> {
  return request().then((result) => JSON.stringify(result), messageOf)
}

async function byCommand({ folder }: Rig, text: string): Promise<string> {
  const files = ['--mcp', '.mcp.json', '--rules', '.mcp-gateway-rules.json']
  const words = ['call', 'one__act', `text=${text}`, '--agent', 'ada', ...files]
  const all = [MAIN, ...words, '--config', 'portolan.yaml']
  const env = { PATH: process.env['PATH'], HOME: folder, PORTOLAN_HOME: join(folder, 'home') }
  return promisify(execFile)(process.execPath, all, { cwd: folder, env }).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: unknown) =>
      isObject(error) ? `${String(error['stdout'])}${String(error['stderr'])}` : '',
  )
}

async function tryWay(field: Field, name: string, way: Way, rig: Rig): Promise<void> {
  const { send, isCounted = true, atOnce = AT_ONCE, runs = 1 } = way
  const asker = new Asker(rig)
  const waitingFor = async (text: string) => until(async () => questionAbout(text, asker), 10_000)
  const done = async (text: string, answers: readonly string[]) => {
    const ran = answers.filter((answer) => hasRun(answer, text)).length
    await sleep(SETTLE_MS)
    return isCounted ? [ran, timesDone(rig, text)] : [ran, ran]
  }
  await field.try(`by ${name}: nothing is sent before the answer`, async () => {
    const text = newText()
    const sent = send(text)
    const id = await waitingFor(text)
    return id !== undefined && String(await done(text, [await sent])) === '0,0'
  })
  await field.try(`by ${name}: another call's approval is not for it`, async () => {
    const [text, approved] = [newText(), newText()]
    const first = await send(approved)
    if ((await asker.approve((await waitingFor(approved)) ?? '')) !== 200) return false
    return String(await done(text, [first, await send(text)])) === '0,0'
  })
  await field.try(`by ${name}: denied, it is not sent`, async () => {
    const text = newText()
    const first = await send(text)
    const id = await waitingFor(text)
    const answered = await asker.post(`/approvals/${id}/answer`, asker.asOwner(), {
      approve: false,
    })
    if (answered.status !== 200) return false
    return String(await done(text, [first, await send(text)])) === '0,0'
  })
  await field.try(`by ${name}: approved, one of ${atOnce} is sent`, async () => {
    const text = newText()
    await send(text)
    if ((await asker.approve((await waitingFor(text)) ?? '')) !== 200) return false
    const answers = await Promise.all(Array.from({ length: atOnce }, async () => send(text)))
    const [ran = 0, times] = await done(text, answers)
    // A task may have been given the approval, and a script does not return what its calls did.
    return ran <= 1 && times === runs
  })
}

function hasRun(answer: string, text: string): boolean {
  if (answer.includes('APPROVAL_PENDING') || answer.includes('denied')) return false
  return answer.includes(`did ${text}`) || answer.includes('traces')
}

async function questionAbout(text: string, asker: Asker): Promise<string | undefined> {
  const { text: json } = await asker.rig.get('/api/dashboard/approvals', asker.asOwner())
  const { approvals } = JSON.parse(json)
  const found = approvals.find(
    (each: JsonObject) => each['state'] === 'pending' && JSON.stringify(each).includes(text),
  )
  return isObject(found) ? String(found['id']) : undefined
}

/** `kill -9` at some moment after the approval: the call has run once or not at all. */
async function killedBetween(field: Field): Promise<void> {
  let rig = await open()
  const seen = new Set<string>()
  for (let round = 0; round < KILLS; round += 1) {
    const text = newText()
    const asker = new Asker(rig)
    await rig.call('one__act', { text }, ADA)
    const id = (await until(async () => questionAbout(text, asker), 10_000)) ?? ''
    await asker.approve(id)
    const calling = rig.call('one__act', { text }, ADA).catch(() => '')
    await sleep(round * 12)
    await rig.stop('SIGKILL')
    await calling
    await sleep(SETTLE_MS)
    const times = timesDone(rig, text)
    const isUsed = usedIn(rig.audit(), id)
    rig = await open({}, rig.folder)
    const opened = rig
    seen.add(times > 0 ? 'ran' : isUsed ? 'used and not run' : 'not used')
    await field.try(
      `kill ${round}: run at most once, and not without a line in the audit`,
      () => times === 0 || (times === 1 && isUsed),
    )
    await field.try(
      `kill ${round}: afterwards the approval is there unless it was used`,
      async () => {
        const again = await opened.call('one__act', { text }, ADA)
        const total = timesDone(opened, text)
        // The approval was taken, and the gateway ended before it could say so and send the call.
        const isAsked = again.includes('APPROVAL_PENDING') && total === times
        return isUsed ? isAsked : total === 1 || isAsked
      },
    )
  }
  console.log(`  killed between approval and answer: ${[...seen].join(', ')}`)
  await rig.discard()
}

function usedIn(audit: string, id: string): boolean {
  return audit.split('\n').some((line) => line.includes('"approvals.used"') && line.includes(id))
}
