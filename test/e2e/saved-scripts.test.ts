import type { ScriptDecision } from '../../src/dashboard/contract.ts'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { openSavedScripts } from '../../src/builtins/scripts/open-saved-scripts.ts'
import { auditOf } from '../support/audit-of.ts'
import { call, execute, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { dashboardOf } from '../support/dashboard/dashboard-client.ts'
import { type Opened, type Wanted, openGateway } from '../support/open-gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { stdioUpstream } from '../support/start.ts'

vi.setConfig({ testTimeout: 120_000 })

const LONG_MS = 30_000
const RULES = {
  agents: {
    ada: { allow: { servers: ['*'], scripts: true } },
    bob: { allow: { servers: ['notes', 'scripts'] } },
    carl: { allow: { servers: ['notes'] } },
    dora: { allow: { servers: ['*'], tools: { scripts: ['twice'] } } },
  },
}

async function open(more: Partial<Wanted> = {}): Promise<Opened> {
  const servers = { files: stdioUpstream(), notes: stdioUpstream() }
  return openGateway({ servers, rules: RULES, ...more })
}

const connect = async (gateway: Opened, agent: string, surface = 'discover') =>
  gateway.connect({ query: `surface=${surface}`, headers: { 'x-agent-id': agent } })

const SCHEMA = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
}

/** As a person at a shell; the gateway that runs notices by itself. */
async function scripts({ folder }: Pick<Opened, 'folder'>, ...words: string[]) {
  return runBuilt(folder, ['scripts', ...words])
}

/** As another process does that has the same data folder. */
async function saveAll({ folder }: Pick<Opened, 'folder'>, sources: Record<string, string>) {
  const saved = await openSavedScripts(folder.file('data'), undefined)
  for (const [name, source] of Object.entries(sources))
    await saved.save({ name, description: `Does ${name}`, inputSchema: SCHEMA, source }, 'eve')
}

type Client = Awaited<ReturnType<typeof connect>>

/** The structured content of a call of a saved script, or the text of its failure. */
async function use(client: Client, name: string, args: JsonObject = { text: 'x' }) {
  const result = await execute(client, 'scripts', name, args)
  return result['isError'] === true ? textOf(result) : structured(result)
}

const TWICE = `const [a, b] = await parallel([() => tools.files.echo(input), () => tools.notes.echo(input)])
return { twice: a + b }`

describe('a saved script', () => {
  let gateway: Opened
  beforeAll(async () => {
    const undo: (() => void | Promise<void>)[] = []
    gateway = await open({ later: (step) => void undo.unshift(step) })
    const waiting = await connect(gateway, 'ada', 'direct')
    if ((await toolNames(waiting)).includes('scripts__other')) throw new Error('saved already')
    await saveAll(gateway, {
      twice: TWICE,
      adds: `await tools.notes.add_tool(); return 'added'`,
      endless: `return tools.scripts.endless(input)`,
      above: `return (await tools.scripts.twice(input)).twice`,
      other: `return [input.text]`,
    })
    // Without a restart.
    const isListed = async () => (await toolNames(waiting)).includes('scripts__other')
    await vi.waitUntil(isListed, { timeout: LONG_MS, interval: 100 })
    return async () => {
      for (const step of undo) await step()
    }
  }, 120_000)

  it('is a tool like others: found, checked, and run with the rights of its caller', async () => {
    const ada = await connect(gateway, 'ada')
    const found = await call(ada, 'find_tools', { query: 'does twice' })
    expect(JSON.stringify(structured(found))).toContain('twice')
    expect(await use(ada, 'twice')).toEqual({ twice: 'xx' })
    expect(await use(ada, 'other')).toEqual({ result: ['x'] })
    expect(await use(ada, 'twice', { txt: 'x' })).toContain('text')
    // Bob's rules are narrower than those of whoever wrote it, and he may run no scripts of his own.
    const denied = await use(await connect(gateway, 'bob'), 'twice')
    expect(denied).toContain('In the saved script twice:')
    expect(denied).toContain("Agent 'bob' cannot access server 'files'")
    expect(await use(await connect(gateway, 'bob'), 'other')).toEqual({ result: ['x'] })
  })

  it('is under the rules of its server and its name', async () => {
    expect(await use(await connect(gateway, 'carl'), 'other')).toContain('cannot access server')
    const dora = await connect(gateway, 'dora')
    expect(await use(dora, 'twice')).toEqual({ twice: 'xx' })
    expect(await use(dora, 'other')).toContain("'other'")
    const listed = await toolNames(await connect(gateway, 'dora', 'direct'))
    expect(listed.filter((name) => /twice|other/.test(name))).toHaveLength(1)
  })

  it('is called by other scripts, and every call of it is on record below its own', async () => {
    const ada = await connect(gateway, 'ada')
    const code = `const { twice } = await tools.scripts.twice({ text: 'nested' }); twice.length`
    expect(structured(await call(ada, 'run_script', { code }))).toEqual({ result: 12 })
    const entry = (operation: string, tool?: string) =>
      auditOf(gateway)
        .filter((each) => each['operation'] === operation)
        .map(({ metadata }) => Object(metadata))
        .findLast((metadata) => tool === undefined || metadata.tool === tool)
    await expect.poll(() => entry('run_script')).toBeDefined()
    const run = entry('run_script')
    const nested = entry('script_call', 'twice')
    expect(nested.parent).toBe(run.call_id)
    expect(entry('script_call', 'echo').parent).toBe(nested.call_id)
  })

  it('only plans where the script that calls it does', async () => {
    const ada = await connect(gateway, 'ada')
    const code = `(await tools.scripts.adds({ text: 'x' })).result`
    const run = async (plan: boolean) => structured(await call(ada, 'run_script', { code, plan }))
    const planned = [{ tool: 'notes.add_tool', arguments: {} }]
    expect(await run(true)).toEqual({ result: 'added', planned })
    expect(await run(false)).toEqual({ result: 'added' })
  })

  it('that calls itself is told so, and one that calls another is not', async () => {
    const ada = await connect(gateway, 'ada')
    const tried = async (name: string) => JSON.stringify(await use(ada, name))
    expect(await tried('above')).toBe('{"result":"xx"}')
    expect(await tried('endless')).toContain(
      "The saved script 'endless' calls itself again and again: endless → endless",
    )
  })

  it('is decided about on the dashboard, which shows its runs', async () => {
    const ask = dashboardOf(gateway.url, {}, gateway.folder.file('data'))
    const ada = await connect(gateway, 'ada')
    const isTool = async () => JSON.stringify(await use(ada, 'brief')) === '{"result":1}'
    const decide = async (action: ScriptDecision['action'], script: string) =>
      (await ask('POST /scripts/decide', { body: { action, script } })).status
    const propose = async () => {
      const save = { name: 'brief', description: 'Is brief' }
      await call(ada, 'run_script', { code: `return 1`, save })
      const { scripts: all } = (await ask('GET /scripts')).value
      const found = all.find(({ name, state }) => name === 'brief' && state === 'proposed')
      return found?.digest ?? ''
    }
    const digest = await propose()
    expect(await decide('approve', 'of another')).toBe(400)
    expect(await decide('reject', digest)).toBe(200)
    expect(await decide('approve', digest), 'it is gone').toBe(400)
    expect(await isTool()).toBe(false)
    expect(await decide('approve', await propose())).toBe(200)
    expect(await isTool()).toBe(true)
    expect(await decide('remove', 'brief')).toBe(200)
    expect(await isTool()).toBe(false)
    expect(await decide('remove', 'brief')).toBe(400)

    await use(ada, 'twice')
    const newest = async () => {
      const { runs } = (await ask('GET /runs')).value
      return runs.find(({ tool }) => tool === 'twice')
    }
    await expect.poll(newest, { timeout: LONG_MS }).toBeDefined()
    const { run, calls } = (
      await ask('GET /runs/:id', { params: { id: (await newest())?.id ?? '' } })
    ).value
    expect([run.agent, run.server]).toEqual(['ada', 'scripts'])
    expect(calls.map(({ call: { tool } }) => tool)).toEqual(['echo', 'echo'])
    expect((await ask('GET /runs/:id', { params: { id: 'nothing-1' } })).status).toBe(404)
  })

  it('is a skill, which says how to call it and shows its source', async () => {
    const ada = await connect(gateway, 'ada')
    const { skills } = await ada.request('skills/list', {})
    expect(JSON.stringify(skills)).toContain('skill://scripts+/twice/SKILL.md')
    const uri = 'skill://scripts+/twice/SKILL.md'
    const { contents } = await ada.request('resources/read', { uri })
    const text = JSON.stringify(contents)
    expect(text).toContain('await tools.scripts.twice(args)')
    expect(text).toContain('return { twice: a + b }')
    const carl = await connect(gateway, 'carl')
    expect(await carl.request('skills/list', {})).toEqual({ skills: [] })
  })
})

describe('a proposal', () => {
  const draft = { name: 'greet', description: 'Greets', input_schema: SCHEMA }

  it('is no tool before a person approves it, and only of a script that ended well', async () => {
    const gateway = await open()
    const ada = await connect(gateway, 'ada')
    const propose = async (code: string, more: JsonObject = {}) =>
      call(ada, 'run_script', { code, input: { text: 'x' }, save: { ...draft, ...more } })
    expect((await propose(`throw new Error('no')`))['isError']).toBe(true)
    expect(structured(await propose(`'hello ' + input.text`))).toEqual({
      result: 'hello x',
      saved: expect.stringMatching(/^scripts\.greet waits for a person to approve [\da-f]{40}$/),
    })
    expect(structured(await propose(`1`, { name: 'No Name' }))).toMatchObject({
      result: 1,
      saved: expect.stringContaining('not saved'),
    })
    expect(textOf(await propose(`1`, { descr: 'x' }))).toContain('"save" needs a name')
    expect(await use(ada, 'greet')).toContain('scripts')

    const { stdout: before } = await scripts(gateway, 'list')
    expect(before).toMatch(/^greet +proposed +[\da-f]{40} +by ada /)
    const digest = async () =>
      String(JSON.parse((await scripts(gateway, 'show', 'greet', '--json')).stdout).digest)
    const unnamed = await scripts(gateway, 'approve')
    expect(unnamed.stderr).toContain("missing required argument 'digest'")
    expect((await scripts(gateway, 'approve', 'greet')).stderr).toContain('No proposal has')
    await scripts(gateway, 'approve', await digest())
    const greet = async () => JSON.stringify(await use(ada, 'greet'))
    await expect.poll(greet, { timeout: LONG_MS }).toBe('{"result":"hello x"}')

    // The next proposal changes nothing until it is approved.
    await propose(`'good day ' + input.text`)
    expect(await greet()).toBe('{"result":"hello x"}')
    await scripts(gateway, 'approve', await digest())
    await expect.poll(greet, { timeout: LONG_MS }).toBe('{"result":"good day x"}')
    await propose(`'never'`)
    const never = await digest()
    expect(await scripts(gateway, 'reject', never)).toMatchObject({ code: 0 })
    expect((await scripts(gateway, 'approve', never)).stderr).toContain('No proposal has')

    // A person edits the file of the tool.
    const file = 'data/scripts/greet.ts'
    gateway.folder.write(file, gateway.folder.read(file).replace('good day', 'hi'))
    await expect.poll(greet, { timeout: LONG_MS }).toBe('{"result":"hi x"}')

    expect(await scripts(gateway, 'remove', 'greet')).toMatchObject({ code: 0 })
    const again = await scripts(gateway, 'remove', 'greet')
    expect(again).toMatchObject({ code: 1 })
    expect(again.stderr).toContain("there is no script 'greet'")
  })
})

it('is there after a restart, and gone where scripts are off or the name is taken', async () => {
  const first = await open()
  await saveAll(first, { other: `return [input.text]` })
  await first.close()
  const again = await open({ folder: first.folder })
  expect(await use(await connect(again, 'ada'), 'other')).toEqual({ result: ['x'] })
  await again.close()
  const off = await open({ folder: first.folder, settings: { scripts: { enabled: false } } })
  expect(await use(await connect(off, 'ada'), 'other')).toContain('scripts')
  await off.close()
  const servers = { scripts: stdioUpstream() }
  const taken = await open({ folder: first.folder, servers, settings: {} })
  const own = await connect(taken, 'ada')
  expect(textOf(await execute(own, 'scripts', 'echo', { text: 'mine' }))).toBe('mine')
})
