import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../src/base/json/json.ts'
import { localPass } from '../../test/support/dashboard/local-pass.ts'
import type { Attack, Field } from './report.ts'
import { Rig, until } from './rig.ts'
import { hostile } from './servers.ts'
import type { SendOptions } from './sender.ts'

export const MARKED = { 'x-portolan-dashboard': '1' }
const ADA = { agent: 'ada' }
const AT_ONCE = 100
const EXPIRE_MS = 3_000

/** Calls that a person has to approve, and agents that want to do without. */
export const approvals: Attack = {
  name: 'calls that need an approval',
  async run(field) {
    const rig = await Rig.open({
      servers: { one: hostile(), listed: listedServer() },
      files: { 'tools.json': toolsWith('Says something') },
      rules: rulesAsking('say', 'echo'),
      settings: { approvals: { waitMs: 50 } },
    })
    const asker = new Asker(rig)
    try {
      await answersWithoutSession(field, asker)
      await approvedElsewhere(field, asker)
      await approvedBefore(field, asker)
    } finally {
      await rig.discard()
    }
    await tooLate(field)
  },
}

function rulesAsking(...tools: (string | JsonObject)[]): JsonObject {
  const agent = { allow: { servers: ['*'], scripts: true }, ask: { tools: { '*': tools } } }
  return { agents: { ada: agent, bob: agent }, defaults: { deny_on_missing_agent: true } }
}

function toolsWith(description: string): string {
  return JSON.stringify({
    tools: [{ name: 'say', description, inputSchema: { type: 'object' } }],
  })
}

function listedServer() {
  const program = join(import.meta.dirname, 'hostile-definitions.mjs')
  return { command: '/bin/sh', args: ['-c', `exec "$0" ${program} tools.json`, process.execPath] }
}

/** An agent whose calls wait for a person. */
export class Asker {
  readonly rig: Rig
  readonly #options: SendOptions
  #texts = 0

  constructor(rig: Rig, options: SendOptions = ADA) {
    this.rig = rig
    this.#options = options
  }

  /** What `echo` would say if it ran. */
  newText(): string {
    this.#texts += 1
    return `said ${this.#texts} of ${Math.random()}`
  }

  async echo(text: string, options = this.#options): Promise<string> {
    return this.rig.call('one__echo', { text }, options)
  }

  async ran(text: string, options = this.#options): Promise<boolean> {
    return hasSaid(await this.echo(text, options))
  }

  /** The id of a new question about a text. */
  async asks(text: string): Promise<string> {
    return idIn(await this.echo(text))
  }

  async post(path: string, headers: Readonly<Record<string, string>>, body: object) {
    const all = { ...MARKED, ...headers }
    const request = { method: 'POST', headers: all, body: JSON.stringify(body) }
    return fetch(`${this.rig.url}/api/dashboard${path}`, request)
  }

  /** The status of the answer of a page to "Approve once". */
  async approve(
    id: string,
    headers: Readonly<Record<string, string>> = this.asOwner(),
  ): Promise<number> {
    return (await this.post(`/approvals/${id}/answer`, headers, { approve: true })).status
  }

  /** The person of the data folder. */
  asOwner() {
    return { authorization: `Bearer ${localPass(join(this.rig.folder, 'home'), this.rig.url)}` }
  }

  /** Whether an approval that is sent so is refused, and has no effect. */
  async holds(headers: Readonly<Record<string, string>>, status = [401, 403]): Promise<boolean> {
    const text = this.newText()
    const id = await this.asks(text)
    return status.includes(await this.approve(id, headers)) && !(await this.ran(text))
  }
}

export function hasSaid(text: string): boolean {
  return !text.includes('APPROVAL_PENDING') && /"text":\s*"(said|ok)/.test(text)
}

export function idIn(text: string): string {
  const id = /approval ([0-9a-f]{10})/.exec(text)?.[1]
  if (id === undefined) throw new Error(`Nobody was asked: ${text}`)
  return id
}

/** Approvals over HTTP, by others than the person of the data folder. */
async function answersWithoutSession(field: Field, asker: Asker): Promise<void> {
  const { rig } = asker
  const home = join(rig.folder, 'home')
  await field.try('control: the person approves, and the call runs once', async () => {
    const text = asker.newText()
    const status = await asker.approve(await asker.asks(text))
    return status === 200 && (await asker.ran(text)) && !(await asker.ran(text))
  })
  const key = rig.keyOf('ada')
  const pass = localPass(home, rig.url)
  const senders: Record<string, Record<string, string>> = {
    'an agent without a credential': {},
    'an agent with a name that it claims': { 'x-agent-id': 'ada' },
    'an agent that claims to be the dashboard': { 'x-agent-id': 'dashboard' },
    'an agent with its own key': { authorization: `Bearer ${key}` },
    'an agent with its own key as a cookie': { cookie: `portolan_key=${key}` },
    'a link as a credential': { authorization: `Bearer ${localPass(home, rig.url, 'link')}` },
    'a pass of another port': { authorization: `Bearer ${localPass(home, 'http://127.0.0.1:1')}` },
    'a pass of another data folder': {
      authorization: `Bearer ${localPass(join(rig.folder, 'other'), rig.url)}`,
    },
    'a pass with another end': { authorization: `Bearer ${pass.slice(0, -2)}AA` },
    'a pass as a cookie': { cookie: `portolan_key=${pass}` },
    'a page of another site': { ...asker.asOwner(), origin: 'https://evil.example' },
    'a page of another port': { ...asker.asOwner(), origin: 'http://127.0.0.1:3000' },
    'a form of another site': { ...asker.asOwner(), 'sec-fetch-site': 'cross-site' },
    'a request without the mark of the pages': {
      ...asker.asOwner(),
      'x-portolan-dashboard': '',
      'sec-fetch-site': 'cross-site',
    },
  }
  for (const [name, headers] of Object.entries(senders))
    await field.try(name, async () => asker.holds(headers))
  await field.try('a question is read by its address, and answers nothing', async () => {
    const text = asker.newText()
    const id = await asker.asks(text)
    const { status } = await rig.get(`/api/dashboard/approvals/${id}/answer`, asker.asOwner())
    return status === 405 && !(await asker.ran(text))
  })
  await field.try('whoever has not signed in reads no arguments', async () => {
    const text = asker.newText()
    await asker.asks(text)
    const { status, text: page } = await rig.get('/api/dashboard/approvals')
    return status === 200 && page.includes('"echo"') && !page.includes(text)
  })
}

/** Approvals for something else than the call. */
async function approvedElsewhere(field: Field, asker: Asker): Promise<void> {
  const { rig } = asker
  const tried = async (other: (text: string) => Promise<boolean>) => {
    const text = asker.newText()
    const status = await asker.approve(await asker.asks(text))
    const hasRun = await other(text)
    return status === 200 && !hasRun && (await asker.ran(text))
  }
  const others: Record<string, (text: string) => Promise<boolean>> = {
    'another text': async (text) => asker.ran(`${text}!`),
    'another case': async (text) => asker.ran(text.replace('said', 'saiD')),
    'one argument more': async (text) =>
      hasSaid(await rig.call('one__echo', { text, more: 1 }, ADA)),
    'another agent': async (text) => asker.ran(text, { agent: 'bob' }),
    'a script of another agent': async (text) => {
      const code = `return await tools.one.echo(${JSON.stringify({ text })})`
      const said = await rig.call('run_script', { code }, { agent: 'bob', surface: 'discover' })
      return said.includes(text) && !said.includes('APPROVAL_PENDING')
    },
  }
  for (const [name, other] of Object.entries(others))
    await field.try(`an approval is not for ${name}`, async () => tried(other))
  await field.try(`one approval, ${AT_ONCE} calls at once: one runs`, async () => {
    const text = asker.newText()
    await asker.approve(await asker.asks(text))
    const before = await callsOf(rig)
    const all = await Promise.all(Array.from({ length: AT_ONCE }, async () => asker.ran(text)))
    const ran = all.filter(Boolean).length
    return ran === 1 && (await callsOf(rig)) === before + 2
  })
  await field.try('two answers at once: one counts', async () => {
    const id = await asker.asks(asker.newText())
    const all = await Promise.all(Array.from({ length: 20 }, async () => asker.approve(id)))
    return all.filter((status) => status === 200).length === 1
  })
  await field.try('what was denied is not approved later', async () => {
    const text = asker.newText()
    const id = await asker.asks(text)
    await asker.post(`/approvals/${id}/answer`, asker.asOwner(), { approve: false })
    return (await asker.approve(id)) !== 200 && !(await asker.ran(text))
  })
}

let counted = 0

/** How many calls the server has got, with this one. */
async function callsOf(rig: Rig): Promise<number> {
  counted += 1
  const said = await rig.call('one__counted', { n: counted }, ADA)
  return Number(/call (\d+)/.exec(said)?.[1])
}

/** Approvals that are older than what they were for. */
async function approvedBefore(field: Field, asker: Asker): Promise<void> {
  const { rig } = asker
  const say = async () => rig.call('listed__say', {}, ADA)
  await field.try('an approval is not for a tool whose definition has changed', async () => {
    const id = idIn(await say())
    writeFileSync(join(rig.folder, 'tools.json'), toolsWith('Says something else'))
    const listed = async () => (await rig.request('tools/list', {}, ADA)).text
    await asker.post('/servers/listed/restart', asker.asOwner(), {})
    const isNew = await until(
      async () => (await listed()).includes('something else') || undefined,
      20_000,
    )
    const status = await asker.approve(id)
    return isNew === true && status === 200 && !hasSaid(await say())
  })
  await field.try('an approval is not for a rule that was changed since', async () => {
    const text = asker.newText()
    const id = await asker.asks(text)
    await asker.approve(id)
    const entry = { tool: 'echo', unless: [{ required: ['quiet'] }] }
    writeFileSync(
      join(rig.folder, '.mcp-gateway-rules.json'),
      JSON.stringify(rulesAsking('say', entry)),
    )
    const { status } = await asker.post('/config/reload', asker.asOwner(), {})
    return status === 200 && idIn(await asker.echo(text)) !== id
  })
}

async function tooLate(field: Field): Promise<void> {
  const rig = await Rig.open({
    servers: { one: hostile() },
    rules: rulesAsking('echo'),
    settings: { approvals: { waitMs: 50, expireMs: EXPIRE_MS } },
  })
  const asker = new Asker(rig)
  const [unanswered, unused] = [asker.newText(), asker.newText()]
  const id = await asker.asks(unanswered)
  await asker.approve(await asker.asks(unused))
  await new Promise((resolve) => setTimeout(resolve, EXPIRE_MS + 500))
  await field.try('an answer that comes too late', async () => (await asker.approve(id)) !== 200)
  await field.try('a call that comes too late', async () => !(await asker.ran(unused)))
  await rig.discard()
}
