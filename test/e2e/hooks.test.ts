import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { delimiter } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { SessionLog } from '../../src/cli/traces/hooks/memory/session-log.ts'
import { connectTraces } from '../../src/cli/traces/connect-traces.ts'
import { aTrace } from '../support/traces-client.ts'
import { ClaudeCode } from '../support/claude-code.ts'
import { sendJson, serveHttp } from '../support/http-server.ts'
import { runBuilt } from '../support/run-built.ts'
import { runProgram } from '../support/run-program.ts'
import { type TracesServer, startTracesServer } from '../support/start-traces-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

const undone: (() => void | Promise<void>)[] = []
let server: TracesServer

beforeAll(async () => {
  server = await startTracesServer({ home: tempFolder((undo) => undone.push(undo)).path })
})
afterAll(async () => {
  await server.end('SIGTERM')
  for (const undo of undone) await undo()
})

/** A repository, with Claude Code connected to the running service, hooks and all. */
async function installed(env: Record<string, string> = {}) {
  const folder = tempFolder()
  mkdirSync(folder.file('project/.git'), { recursive: true })
  folder.write('project/pyproject.toml', 'dependencies = ["fastapi"]')
  const { code } = await runBuilt(folder, ['connect', 'claude-code', '--hooks'])
  expect(code).toBe(0)
  return { folder, claude: new ClaudeCode(folder, { PORTOLAN_TRACES_URL: server.url, ...env }) }
}

async function ask(method: string, path: string, body?: unknown) {
  const home = tempFolder().path
  const env = { PORTOLAN_HOME: home, PORTOLAN_TRACES_URL: server.url }
  return (await connectTraces(env, { provision: true })).request(method, path, body)
}

const searchHit = z.object({ title: z.string(), weak: z.literal(true).optional() })

const BASH = { tool_name: 'Bash', tool_input: { command: 'pytest -q', description: 'Run tests' } }
const failing = (error: string) => ({
  ...BASH,
  error: `Exit code 1\n${error}`,
  is_interrupt: false,
})
const PASSING = {
  ...BASH,
  tool_response: { stdout: '3 passed', stderr: '', interrupted: false, isImage: false },
}

describe('a session of Claude Code with the hooks', { timeout: 120_000 }, () => {
  it('is helped, solves, is asked to share, and what was refused is delivered later', async () => {
    const known = await ask('POST', '/traces', {
      ...aTrace({
        title: 'FastAPI python common patterns: lifespan flimflam never starts',
        context_text: 'RuntimeError: flimflam lifespan never started in the tests.',
        solution_text: 'Use the client as a context manager, so that the lifespan runs.',
        tags: ['python'],
      }),
      tokens_to_resolution: 90_000,
    })
    const { folder, claude } = await installed({ COMMONTRACE_TELEMETRY: 'true' })

    const started = await claude.hook('SessionStart', { source: 'startup' })
    expect(started.said).toContain('Traces that may help in this python fastapi project')
    expect(started.said).toContain('Portolan traces: hooks are on')
    await claude.hook('UserPromptSubmit', { prompt: 'make the tests pass' })

    const failed = await claude.hook(
      'PostToolUseFailure',
      failing('RuntimeError: flimflam lifespan never started'),
    )
    expect(failed.said).toContain('Use the client as a context manager')
    await claude.hook('PostToolUse', {
      tool_name: 'mcp__portolan__execute_tool',
      tool_input: { server: 'traces', tool: 'get_trace', args: { trace_id: known.body['id'] } },
      tool_response: [{ type: 'text', text: '[PENDING] lifespan flimflam\n\nID: x' }],
    })
    await claude.hook('PostToolUse', {
      tool_name: 'Edit',
      tool_input: { file_path: folder.file('project/app.py'), old_string: 'a', new_string: 'b' },
      tool_response: { filePath: folder.file('project/app.py') },
    })
    const solved = await claude.hook('PostToolUse', PASSING)
    expect(solved.said).toContain(
      `Resolved-with: CommonTrace ${server.url}/api/v1/traces/${String(known.body['id'])}`,
    )

    const stopped = await claude.hook('Stop', { stop_hook_active: false })
    expect(JSON.parse(stopped.stdout)).toMatchObject({ decision: 'block' })
    expect(stopped.said).toMatch(/Yes, Skip, Always.*"error_count":1,"iterations":1/s)
    expect((await claude.hook('Stop', { stop_hook_active: true })).stdout).toBe('')

    const refused = await claude.hook('PostToolUse', {
      tool_name: 'mcp__portolan__execute_tool',
      tool_input: {
        server: 'traces',
        tool: 'contribute_trace',
        args: aTrace({ title: 'Gribble parser gives up' }),
      },
      tool_response: [{ type: 'text', text: '[CommonTrace error] Not invited (HTTP 403)' }],
    })
    expect(refused.said).toContain('It is NOT stored')
    expect(refused.said).not.toMatch(/^Shared/m)
    const again = await claude.hook('SessionStart', { session_id: 'next', source: 'startup' })
    expect(again.said).toContain('1 trace(s) that waited on this machine are shared now')
    expect(again.said).toContain('Traces used in this project before: "lifespan flimflam"')
    const { body } = await ask('POST', '/traces/search', { q: 'Gribble' })
    // The nearest of the others may follow, marked as weak.
    expect(
      z
        .array(searchHit)
        .parse(body['results'])
        .filter(({ weak }) => !weak),
    ).toEqual([{ title: 'Gribble parser gives up' }])
  })

  it('is not told of traces that are merely the nearest there are', async () => {
    const title = 'Snurfle gateway drops every websocket upgrade'
    const env = { PORTOLAN_EMBEDDING_PROVIDER: 'none' }
    const wordsOnly = await startTracesServer({ home: tempFolder().path }, { env })
    onTestFinished(async () => void (await wordsOnly.end('SIGTERM')))
    const author = await wordsOnly.register()
    for (const each of [title, 'Gribble parser gives up', 'Flimflam never starts'])
      await author.contribute({ title: each })
    const error = 'Error: gateway plugh xyzzy frotz qwghlm'
    const found = async () => (await author.post('/traces/search', { q: error })).body.results
    await expect.poll(found).toMatchObject([{ title, weak: true }])
    const { claude } = await installed({ PORTOLAN_TRACES_URL: wordsOnly.url })
    expect(await claude.hook('PostToolUseFailure', failing(error))).toMatchObject({
      code: 0,
      stdout: '',
    })
    const known = failing('Error: snurfle gateway drops every websocket upgrade')
    // A person of their own: hooks search again for one agent only after a while.
    const other = await installed({ PORTOLAN_TRACES_URL: wordsOnly.url })
    const helped = await other.claude.hook('PostToolUseFailure', known)
    expect(helped.said).toContain(title)
  })

  it('keeps to its times and to silence when the service hangs, is gone, or input is rubbish', async () => {
    await using deaf = await serveHttp(() => {})
    const { folder, claude } = await installed({ PORTOLAN_TRACES_URL: deaf.url })
    const start = await claude.hook('SessionStart', { source: 'startup' })
    expect([start.code, start.ms < 10_000]).toEqual([0, true])
    const failed = await claude.hook('PostToolUseFailure', failing('Error: nobody answers'))
    expect(failed).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(failed.ms).toBeLessThan(20_000)
    const gone = new ClaudeCode(folder, { PORTOLAN_TRACES_URL: 'http://127.0.0.1:1' })
    expect(
      await gone.hook('PostToolUseFailure', { ...failing('Error: x'), session_id: 'b' }),
    ).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    })
    expect(await claude.hook('Stop', 'rubbish')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(folder.read('data/hooks/errors.log')).toMatch(/ Stop SyntaxError/)
    expect(statSync(folder.file('data/hooks/errors.log')).mode & 0o777).toBe(0o600)
  })

  it('loses nothing when the hooks of one session run side by side', async () => {
    const { folder, claude } = await installed()
    const ended = await Promise.all(
      Array.from({ length: 4 }, async (_, n) =>
        claude.hook('PostToolUse', {
          tool_name: 'Bash',
          tool_input: { command: `make part${n}` },
          tool_response: { stdout: '', stderr: `Error: part ${n}`, exit_code: 2 },
        }),
      ),
    )
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    const events = await new SessionLog(folder.file('data'), 'e2e').events()
    expect(events.filter(({ kind }) => kind === 'failed')).toHaveLength(4)
  })

  it('says when there is a newer version, asking once a day, and only where that is wanted', async () => {
    const bin = tempFolder()
    // npm itself may take longer to start than the hook waits for it.
    bin.write('npm', `#!/bin/sh\necho "$@" >> ${bin.file('asked')}\necho 99.0.0\n`)
    chmodSync(bin.file('npm'), 0o755)
    const path = [bin.path, process.env['PATH']].join(delimiter)
    const { folder, claude } = await installed({ PATH: path })
    await claude.hook('SessionStart', { source: 'startup' })
    expect(bin.read('asked')).toBe('')
    await runBuilt(folder, ['traces', 'hooks', 'update_check', 'true'])
    const said = (await claude.hook('SessionStart', { source: 'startup' })).said
    expect(said).toContain('Portolan 99.0.0 is out')
    await claude.hook('SessionStart', { source: 'startup' })
    expect(bin.read('asked')).toBe('view portolan version\n')
  })

  it('asks npm in words that it understands', async () => {
    const version = '99.0.0'
    await using registry = await serveHttp((_, response) =>
      sendJson(response, {
        name: 'portolan',
        'dist-tags': { latest: version },
        versions: { [version]: { name: 'portolan', version } },
      }),
    )
    const { path: cwd } = tempFolder()
    const env = { PATH: process.env['PATH'], HOME: cwd, npm_config_registry: registry.url }
    const answer = await runProgram('npm', ['view', 'portolan', 'version'], { cwd, env })
    expect(answer.stdout.trim()).toBe(version)
  })

  it('gives every machine an account of its own, under a name of its own', async () => {
    const names = await Promise.all(
      [0, 1].map(async () => {
        const { status, body } = await ask('POST', '/traces', aTrace())
        expect(status).toBe(202)
        const read = await ask('GET', `/traces/${String(body['id'])}`)
        return read.body['contributor_name']
      }),
    )
    expect(new Set(names).size).toBe(2)
  })
})

describe('connecting Claude Code with the hooks', () => {
  it('twice is as good as once, and undoing leaves everything as it was', async () => {
    const folder = tempFolder()
    const mine = { 'settings.json': '{\n    "model": "opus"\n}', 'commands/recall.md': 'my own' }
    for (const [file, text] of Object.entries(mine)) folder.write(`.claude/${file}`, text)
    await runBuilt(folder, ['connect', 'claude-code', '--hooks'])
    const first = folder.read('.claude/settings.json')
    expect(folder.read('.claude/commands/trace.md')).toMatch(/contribute_trace[\s\S]*Installed by/)
    await runBuilt(folder, ['connect', 'claude-code', '--hooks'])
    expect(folder.read('.claude/settings.json')).toBe(first)
    const { stdout } = await runBuilt(folder, ['connect', 'claude-code', '--undo'])
    expect(stdout).toContain('commands/trace.md is gone: it did not exist before')
    for (const [file, text] of Object.entries(mine))
      expect(folder.read(`.claude/${file}`)).toBe(text)
    expect(existsSync(folder.file('.claude/commands/trace.md'))).toBe(false)
  })

  it('installs nothing of it unless asked', async () => {
    const folder = tempFolder()
    await runBuilt(folder, ['connect', 'claude-code'])
    expect(existsSync(folder.file('.claude/settings.json'))).toBe(false)
  })
})
