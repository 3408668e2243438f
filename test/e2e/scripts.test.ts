import { beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { auditOf } from '../support/audit-of.ts'
import { call, structured, textOf, toolNames } from '../support/clients/talk.ts'
import { type Opened, type Wanted, openGateway } from '../support/open-gateway.ts'
import { stdioUpstream } from '../support/start.ts'

const RULES = {
  agents: {
    ada: { allow: { servers: ['*'], scripts: true } },
    grace: {
      allow: { servers: ['notes'], tools: { notes: ['echo', 'odd'] }, scripts: true },
    },
    bob: { allow: { servers: ['*'] } },
  },
}

async function open(more: Partial<Wanted> = {}): Promise<Opened> {
  const servers = { files: stdioUpstream(), notes: stdioUpstream() }
  return openGateway({ servers, rules: RULES, ...more })
}

/** For the tests that leave nothing behind that another would see. */
let shared: Opened
beforeAll(async () => {
  const undo: (() => void | Promise<void>)[] = []
  shared = await open({ later: (step) => void undo.unshift(step) })
  return async () => {
    for (const step of undo) await step()
  }
})

async function connect(gateway: Opened, agent: string, surface = 'discover') {
  return gateway.connect({ query: `surface=${surface}`, headers: { 'x-agent-id': agent } })
}

type Client = Awaited<ReturnType<typeof connect>>

async function run(client: Client, code: string, more: JsonObject = {}) {
  return structured(await call(client, 'run_script', { code, ...more }))
}

const reasonOf = async (client: Client, code: string) => {
  const { error }: { error?: { reason?: string } } = await run(client, code)
  return error?.reason
}

const metadataOf = ({ metadata }: JsonObject): JsonObject => Object(metadata)

describe('a script', () => {
  it('calls tools of several servers, and only its result comes back', async () => {
    const client = await connect(shared, 'ada')
    const code = `
      const texts: string[] = await parallel(
        ['a', 'b', 'c'].map((text) => () => tools[text === 'b' ? 'files' : 'notes'].echo({ text })),
        { limit: 2 },
      )
      texts.join('') + input.suffix`
    expect(await run(client, code, { input: { suffix: '!' } })).toEqual({ result: 'abc!' })
  })

  it('gets results as values, with every digit, and gives them back so', async () => {
    const client = await connect(shared, 'ada')
    const answer = await call(client, 'run_script', {
      code: `const { big, bigger, one } = await tools.notes.odd()
        log(typeof bigger)
        return { same: big + 1n, bigger, one }`,
    })
    expect(textOf(answer)).toBe(
      '{"result":{"same":9007199254740994,"bigger":18446744073709551615,"one":1},"logs":["bigint"]}',
    )
  })

  it('has every call on record, with its agent and its parent', async () => {
    const gateway = await open()
    const [ada, grace] = [await connect(gateway, 'ada'), await connect(gateway, 'grace')]
    const code = `await find('echo'); for (const text of '12345') await tools.notes.echo({ text }); 1`
    await Promise.all([run(ada, code), run(grace, code)])
    await expect.poll(() => auditOf(gateway).length).toBeGreaterThanOrEqual(14)
    const entries = auditOf(gateway)
    for (const agent of ['ada', 'grace']) {
      const own = entries.filter(({ agent_id: id }) => id === agent)
      const [outer] = own.filter(({ operation }) => operation === 'run_script')
      const inner = own.filter(({ operation }) => operation !== 'run_script')
      expect(inner.map(({ operation }) => String(operation)).toSorted()).toEqual([
        'find_tools',
        ...Array.from({ length: 5 }, () => 'script_call'),
      ])
      for (const entry of inner)
        expect(metadataOf(entry)['parent']).toBe(metadataOf(outer ?? {})['call_id'])
    }
  })

  it('can do nothing that its agent could not: what is denied is denied with its rule', async () => {
    const gateway = shared
    const code = `
      const tried = async (call) => call().then(() => 'ok', ({ code, data }) => code + ' ' + data.rule)
      return [
        await tried(() => tools.notes.echo({ text: 'x' })),
        await tried(() => tools.notes.whoami()),
        await tried(() => tools.files.echo({ text: 'x' })),
      ]`
    expect(await run(await connect(gateway, 'ada'), code)).toEqual({ result: ['ok', 'ok', 'ok'] })
    expect(await run(await connect(gateway, 'grace'), code)).toEqual({
      result: [
        'ok',
        'DENIED_BY_POLICY agents.grace.allow.tools.notes (no pattern matches "whoami")',
        'DENIED_BY_POLICY agents.grace (no allow rule for server "files")',
      ],
    })
  })

  it('knows only tools that its agent may use', async () => {
    const gateway = shared
    const code = `[(await find('who am I; echo')).map(({ server, call }) => server + '.' + call.split('(')[0]),
      await describe('files.whoami').catch(({ code }) => code), await describe('notes.echo')]`
    const { result } = await run(await connect(gateway, 'grace'), code)
    expect(result).toEqual([
      expect.not.arrayContaining(['notes.whoami', 'files.echo']),
      'TOOL_NOT_FOUND',
      expect.stringContaining('tools.notes.echo(args: { text?: string }): Promise<unknown>'),
    ])
    const { result: more } = await run(await connect(gateway, 'ada'), code)
    expect(more).toEqual([
      expect.arrayContaining(['notes.whoami']),
      expect.stringContaining('tools.files.whoami('),
      expect.any(String),
    ])
  })

  it('keeps values behind handles that read_result reads, for its agent alone', async () => {
    const gateway = shared
    const [ada, grace] = [await connect(gateway, 'ada'), await connect(gateway, 'grace')]
    const { result } = await run(ada, `keep([{ id: 1 }, { id: 2 }])`)
    const args = { handle: result, select: '[*].id' }
    expect(structured(await call(ada, 'read_result', args))).toMatchObject({ data: [1, 2] })
    expect(await call(grace, 'read_result', args)).toHaveProperty('isError', true)
    const code = `const all = await read(input); [await select(all, '[?id > \`1\`]'), await read(input, { limit: 1 })]`
    expect(await run(ada, code, { input: result })).toEqual({ result: [[{ id: 2 }], [{ id: 1 }]] })
    expect(await run(grace, `read(input).catch(({ code }) => code)`, { input: result })).toEqual({
      result: 'RESULT_GONE',
    })
  })

  it('is stopped with its calls when its caller leaves', async () => {
    const gateway = await open()
    const client = await connect(gateway, 'ada')
    const leaving = new AbortController()
    const params = {
      name: 'run_script',
      arguments: { code: `await tools.notes.echo({ text: 'begun' }); await tools.notes.hang()` },
    }
    const asked = client.request('tools/call', params, { signal: leaving.signal })
    asked.catch(() => undefined)
    const toolsSoFar = () => auditOf(gateway).map((entry) => metadataOf(entry)['tool'])
    await expect.poll(toolsSoFar, { timeout: 20_000 }).toContain('echo')
    leaving.abort()
    await expect.poll(toolsSoFar, { timeout: 20_000 }).toContain('run_script')
    expect(toolsSoFar()).toContain('hang')
  })
})

describe('a plan', () => {
  it('sends reads, and lists writes with their arguments instead of sending them', async () => {
    const gateway = await open()
    const code = `
      const text = await tools.notes.echo({ text: 'read' })
      const made = await tools.files.add_tool({ name: 'made_' + text })
      await tools.files.touch({ uri: 'test://' + made.id })
      return text`
    const client = await connect(gateway, 'ada')
    expect(await run(client, code, { plan: true })).toEqual({
      result: 'read',
      planned: [
        { tool: 'files.add_tool', arguments: { name: 'made_read' } },
        {
          tool: 'files.touch',
          arguments: { uri: 'test://<result of files.add_tool, planned write 1>.id' },
        },
      ],
    })
    const listed = `(await describe('files')).includes('made_read')`
    expect(await run(client, listed)).toEqual({ result: false })
    expect(await run(client, code)).toEqual({ result: 'read' })
    await expect.poll(async () => run(client, listed)).toEqual({ result: true })
  })

  it('refuses what the call itself would be refused for', async () => {
    const client = await connect(shared, 'grace')
    const code = `await tools.notes.add_tool({ name: 'x' })`
    expect(textOf(await call(client, 'run_script', { code, plan: true }))).toContain(
      "Agent 'grace' not authorized to call tool 'add_tool' on server 'notes'",
    )
  })
})

describe('a script that fails', () => {
  it('says where, why, and what it has already done', async () => {
    const client = await connect(shared, 'ada')
    const code = `await tools.notes.echo({ text: 'one' })
await tools.notes.echo({ text: 'two' })
const wrong = await tools.notes.slow({ ms: 'soon', steps: 'a few' })`
    const answer = await call(client, 'run_script', { code })
    expect(answer).toHaveProperty('isError', true)
    expect(textOf(answer)).toMatch(/^ToolError: /)
    expect(textOf(answer)).toContain('- ms: expected number, got "soon"')
    expect(textOf(answer)).toContain('- steps: expected integer, got "a few"')
    expect(textOf(answer)).toContain('at line 3, column ')
    expect(textOf(answer)).toContain('Calls already made: notes.echo ×2, notes.slow (failed).')
    expect(structured(answer)).toMatchObject({
      error: { code: 'SCRIPT_FAILED', reason: 'script_error', line: 3 },
    })
  })

  it('suggests the name that was meant', async () => {
    const client = await connect(shared, 'ada')
    const said = async (code: string) => textOf(await call(client, 'run_script', { code }))
    expect(await said('await tools.notes.ecko()')).toContain("Did you mean 'echo'?")
    expect(await said('await tools.note.echo()')).toContain("Did you mean 'notes'?")
    expect(await said('const x: number = ;')).toContain('at line 1, column 19')
  })
})

describe('run_script', () => {
  it('is shown to agents whose rules allow it, and denied to others with the rule', async () => {
    const gateway = shared
    const [ada, bob] = [await connect(gateway, 'ada'), await connect(gateway, 'bob')]
    expect(await toolNames(ada)).toContain('run_script')
    expect(await toolNames(bob)).not.toContain('run_script')
    expect(await run(bob, '1')).toMatchObject({
      error: { code: 'DENIED_BY_POLICY', rule: 'agents.bob (no allow.scripts)' },
    })
  })

  it('stands on a surface of its own, which others see as discovery', async () => {
    const gateway = shared
    const own = ['find_tools', 'run_script', 'read_result']
    expect(await toolNames(await connect(gateway, 'ada', 'scripts'))).toEqual(own)
    expect(await toolNames(await connect(gateway, 'bob', 'scripts'))).toContain('execute_tool')
  })

  it('can be switched off, and on for everybody where there are no rules', async () => {
    const off = await open({ settings: { scripts: { enabled: false } } })
    const client = await connect(off, 'ada')
    expect(await toolNames(client)).not.toContain('run_script')
    expect(await run(client, '1')).toMatchObject({ error: { rule: 'scripts.enabled' } })
    const servers = { notes: stdioUpstream() }
    for (const [enabled, shown] of [
      ['auto', false],
      [true, true],
    ] as const) {
      const gateway = await openGateway({ servers, settings: { scripts: { enabled } } })
      const names = await toolNames(await gateway.connect({ query: 'surface=discover' }))
      expect(names.includes('run_script')).toBe(shown)
    }
  })
})

describe('the settings', () => {
  const settings = {
    scripts: {
      calls: 3,
      threadMs: 1000,
      heapBytes: 16 * 1024 * 1024,
      maxTokens: 60,
    },
  }
  it('limit what a script may use, from the next script on', async () => {
    const gateway = await open({ settings })
    const client = await connect(gateway, 'ada')
    const echo = 'for (let i = 0; i < input; i++) await tools.notes.echo(); 1'
    expect(await run(client, echo, { input: 3 })).toEqual({ result: 1 })
    expect(await run(client, echo, { input: 4 })).toMatchObject({
      error: { reason: 'call_limit' },
    })
    expect(await reasonOf(client, 'for (;;);')).toBe('thread_limit')
    expect(await run(client, 'await tools.notes.hang()', { timeout_ms: 500 })).toMatchObject({
      error: { reason: 'wall_limit' },
    })
    expect(await reasonOf(client, `const all = []; for (;;) all.push(new Uint8Array(1e6))`)).toBe(
      'memory_limit',
    )
    expect(await reasonOf(client, `'x'.repeat(1.1e6)`)).toBe('result_limit')
    expect(await reasonOf(client, `1 //${'x'.repeat(65_536)}`)).toBe('source_limit')
    const caught = `tools.notes.echo({ text: 'x'.repeat(input) }).then(() => 'ok', ({ name }) => name)`
    expect(await run(client, caught, { input: 500 })).toEqual({ result: 'ok' })
    expect(await run(client, caught, { input: 1.1e6 })).toEqual({ result: 'ArgumentsTooLarge' })
    const large = `tools.notes.big({ bytes: 8.5e6 }).catch(({ name }) => name)`
    expect(await run(client, large)).toEqual({ result: 'AnswerTooLarge' })
    const words = `Array.from({ length: 100 }, (_, n) => 'word ' + n)`
    expect(JSON.stringify(await run(client, words))).toContain('r_')
    expect(await run(client, words, { max_tokens: 2000 })).toMatchObject({
      result: { length: 100 },
    })

    gateway.folder.write('portolan.yaml', { scripts: { ...settings.scripts, calls: 4 } })
    await expect
      .poll(async () => run(client, echo, { input: 4 }), { timeout: 20_000 })
      .toEqual({ result: 1 })
  })
})

it.each(['legacy', 'modern'] as const)(
  'puts the question of a tool to the person, %s, and goes on with the answer',
  async (era) => {
    const headers = { 'x-agent-id': 'ada' }
    const client = await shared.connect({ era, headers, query: 'surface=discover' })
    const code = `
      const { answer } = await tools.notes.ask_elicitation({ message: 'Your name?' })
      const said = await tools.notes.echo({ text: 'thanks' })
      return [answer.action, answer.content.name, said]`
    expect(await run(client, code)).toEqual({ result: ['accept', 'Ada', 'thanks'] })
  },
)
