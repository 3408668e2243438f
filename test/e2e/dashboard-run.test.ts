import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createUsers } from '../../src/identity/incoming/accounts/users.ts'
import { openStorage } from '../../src/storage/open-storage.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import {
  type Gateway,
  openDashboard,
  sharedDashboard,
} from '../support/dashboard/open-dashboard.ts'
import { MAIN } from '../support/gateway.ts'
import { DashboardPerson } from '../support/sign-in/dashboard-person.ts'
import { startWithSignIn } from '../support/sign-in/start-with-sign-in.ts'
import { COPIES } from '../../web/src/pages/run/copy-as.ts'

const shell = promisify(execFile)
const PASSWORD = 'correct horse battery'
const ASKS = {
  agents: {
    ada: { allow: { servers: ['*'] }, ask: { tools: { files: ['echo'] } } },
    eve: { allow: { servers: ['*'] }, ask: { tools: { files: ['echo'] } } },
    dashboard: { allow: { servers: ['*'] }, ask: { tools: { files: ['echo'] } } },
  },
}
const shared = sharedDashboard()

async function run(
  { ask }: Pick<Gateway, 'ask'>,
  tool: string,
  args: string | object = {},
  more: { readonly agent?: string } = {},
) {
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  return ask('POST /run', { body: { server: 'files', tool, arguments: text, ...more } })
}

/** The record of a call in the audit; it is written a moment after the answer. */
async function recorded({ ask }: Pick<Gateway, 'ask'>, id: string) {
  return expect.poll(async () => {
    const { value } = await ask('GET /audit', { query: { text: id } })
    return value.calls.find((call) => call.id === id)
  })
}

describe('a tool that a person runs on a page', () => {
  it('is an ordinary call of the agent they choose, with them as its author', async () => {
    const { status, value } = await run(shared(), 'echo', { text: 'hello' }, { agent: 'ada' })
    expect(status).toBe(200)
    expect(value).toMatchObject({ agent: 'ada', outcome: 'ok', error: null, isCut: false })
    expect(JSON.parse(value.result ?? '')).toMatchObject({ content: [{ text: 'hello' }] })
    await (
      await recorded(shared(), value.call)
    ).toMatchObject({
      agent: 'ada',
      user: expect.stringMatching(/./),
      client: 'dashboard',
      operation: 'tools/call',
      server: 'files',
      tool: 'echo',
      decision: 'ALLOW',
    })
  })

  it('is denied where the rules of that agent deny it', async () => {
    const { status, value } = await run(shared(), 'crash', {}, { agent: 'ada' })
    expect(status).toBe(200)
    expect(value).toMatchObject({
      outcome: 'DENIED_BY_POLICY',
      result: null,
      error: { rule: 'agents.ada.deny.tools.files[0]' },
    })
    await (await recorded(shared(), value.call)).toMatchObject({ decision: 'DENY', agent: 'ada' })
  })

  it('keeps the digits of numbers, in both directions', async () => {
    await shared().ask('POST /capture', { body: { on: true } })
    const { value } = await run(shared(), 'odd', '{"count":12345678901234567890}')
    expect(value.result).toContain('"bigger":18446744073709551615')
    const params = { id: value.call }
    const { kept } = (await shared().ownerAsks('GET /call/:id', { params })).value
    expect(kept?.arguments).toBe('{"count":12345678901234567890}')
  })

  it.each([
    ['a list', '[1]'],
    ['no JSON', '{text:'],
  ])('is refused before it is a call when its arguments are %s', async (_, args) => {
    const { status, failure } = await run(shared(), 'echo', args)
    expect(status).toBe(400)
    expect(failure.message).toContain('The arguments are no JSON object')
  })

  it('is not for an agent that the rules do not have, nor for whoever can only read', async () => {
    const reader = dashboardOf(shared().url)
    const body = { server: 'files', tool: 'echo', arguments: '{"text":"a"}' }
    expect(await reader('POST /run', { body })).toMatchObject({
      status: 403,
      failure: { code: 'SESSION_REQUIRED' },
    })
    const { value } = await run(shared(), 'echo', { text: 'a' }, { agent: 'nobody' })
    expect(value.error?.message).toContain('nobody')
  })
})

it('shows of a tool its schema, and what each agent may do with it', async () => {
  const gateway = await openDashboard({ rules: ASKS })
  const params = { server: 'files', tool: 'echo' }
  expect((await gateway.ask('GET /servers/:server/tools/:tool', { params })).failure.message).toBe(
    "'files' lists no tool 'echo' now",
  )
  await gateway.ask('POST /servers/:server/test', { params, body: { timeoutMs: 20_000 } })
  const { value } = await gateway.ask('GET /servers/:server/tools/:tool', { params })
  expect(value).toMatchObject({ name: 'echo', inputSchema: { type: 'object' } })
  expect(value.access).toContainEqual(
    expect.objectContaining({ agent: 'ada', effect: 'ask', rule: 'agents.ada.ask.tools.files[0]' }),
  )
  expect(value.access).toContainEqual(expect.objectContaining({ agent: '*', effect: 'deny' }))
})

describe('a tool that asks a person first', () => {
  it('cannot be approved by the person who ran it, where somebody else has to answer', async () => {
    const gateway = await openDashboard({
      rules: ASKS,
      settings: { approvals: { waitMs: 300, fourEyes: true } },
    })
    const { value } = await run(gateway, 'echo', { text: 'a' }, { agent: 'ada' })
    expect(value.outcome).toBe('APPROVAL_PENDING')
    const id = value.error?.approval ?? ''
    const answered = await gateway.ask('POST /approvals/:id/answer', {
      params: { id },
      body: { approve: true },
    })
    expect(answered.status).toBe(403)
    expect(answered.failure.message).toContain('approvals.fourEyes')
    expect((await run(gateway, 'echo', { text: 'a' }, { agent: 'ada' })).value.outcome).toBe(
      'APPROVAL_PENDING',
    )
  })

  it('runs once they have approved it, without that setting', async () => {
    const gateway = await openDashboard({ rules: ASKS, settings: { approvals: { waitMs: 300 } } })
    const first = (await run(gateway, 'echo', { text: 'a' }, { agent: 'ada' })).value
    const params = { id: first.error?.approval ?? '' }
    await gateway.ask('POST /approvals/:id/answer', { params, body: { approve: true } })
    expect((await run(gateway, 'echo', { text: 'a' }, { agent: 'ada' })).value.outcome).toBe('ok')
    expect((await run(gateway, 'echo', { text: 'b' }, { agent: 'ada' })).value.outcome).toBe(
      'APPROVAL_PENDING',
    )
  })

  it('is for admins who have signed in, as themselves; another person has to answer', async () => {
    const gateway = await startWithSignIn(
      { auth: { adminGroups: ['platform'] }, approvals: { waitMs: 300, fourEyes: true } } as object,
      { rules: ASKS },
    )
    const storage = await openStorage({ home: gateway.folder.file('data') })
    const users = createUsers(storage)
    for (const name of ['eve', 'ada'])
      await users.save({ name, groups: ['platform'], role: 'agent' }, PASSWORD)
    await users.save({ name: 'zoe', groups: [], role: 'viewer' }, PASSWORD)
    await storage.close()
    const as = async (name: string) => new DashboardPerson(gateway.url).byPassword(name, PASSWORD)
    const [eve, ada, zoe] = [await as('eve'), await as('ada'), await as('zoe')]
    expect((await run(zoe, 'echo', { text: 'a' })).status).toBe(403)
    expect((await run(eve, 'echo', { text: 'a' }, { agent: 'ada' })).value).toMatchObject({
      outcome: 'INVALID_AGENT_ID',
    })
    const asked = (await run(eve, 'echo', { text: 'a' })).value
    expect(asked).toMatchObject({ agent: 'eve', outcome: 'APPROVAL_PENDING' })
    const answer = { params: { id: asked.error?.approval ?? '' }, body: { approve: true } }
    expect((await eve.ask('POST /approvals/:id/answer', answer)).status).toBe(403)
    expect((await ada.ask('POST /approvals/:id/answer', answer)).status).toBe(200)
    expect((await run(eve, 'echo', { text: 'a' })).value.outcome).toBe('ok')
  })
})

it('is copied as a call for curl and for `portolan call`, which give the same result', async () => {
  const { url } = shared()
  const call = {
    server: 'files',
    tool: 'echo',
    agent: 'ada',
    args: `{\n  "text": "it's \\"quoted\\" $HOME"\n}`,
    endpoint: `${url}/mcp`,
  }
  const { value } = await run(shared(), 'echo', call.args)
  const said = `it's "quoted" $HOME`
  expect(JSON.parse(value.result ?? '')).toMatchObject({ content: [{ text: said }] })
  const curl = await shell('sh', ['-c', COPIES['curl']?.(call) ?? ''])
  expect(JSON.parse(curl.stdout)).toMatchObject({ result: { content: [{ text: said }] } })
  const words = (COPIES['portolan call']?.(call) ?? '').replace('portolan', `"$0" ${MAIN}`)
  const own = await shell('sh', ['-c', words, process.execPath])
  expect(own.stdout).toBe(`${said}\n`)
})
