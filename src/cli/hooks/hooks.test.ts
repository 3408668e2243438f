import { mkdir, readFile, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aTrace } from '../../../test/support/traces-client.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openEmbedded } from '../../app/open-embedded-traces.ts'
import { connectTraces } from '../traces/connect-traces.ts'
import { detectProject } from './detect-project.ts'
import { errorSignature, hasFailed } from './error-signature.ts'
import { HookState } from './hook-state.ts'
import { installHooks, uninstallHooks } from './install-hooks.ts'
import { redact } from './redact.ts'
import { runHook } from './run-hook.ts'
import { Triggers, cooldownMs } from './triggers.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let env: Record<string, string>

beforeEach(async () => {
  folder = await temporaryFolder()
  env = { PORTOLAN_HOME: join(folder.path, 'home') }
})
afterEach(async () => folder.remove())

const FAILURE = {
  tool_name: 'Bash',
  tool_input: { command: 'npm test -- --run' },
  tool_response: { stdout: '', stderr: 'Error: frobnicator socket hang up', exit_code: 1 },
}
const SUCCESS = { ...FAILURE, tool_response: { stdout: 'ok', stderr: '', exit_code: 0 } }

async function hook(
  event: string,
  input: Record<string, unknown>,
): Promise<Record<string, unknown> | undefined> {
  const output = await runHook(
    event,
    JSON.stringify({ session_id: 's', cwd: folder.path, ...input }),
    env,
  )
  return output === undefined ? undefined : JSON.parse(output)
}

async function knowing(change: Record<string, unknown>): Promise<string> {
  const connection = await connectTraces(env)
  const { body } = await connection.request('POST', '/traces', aTrace(change))
  await connection.close()
  return String(body['id'])
}

async function triggerFile() {
  return JSON.parse(await readFile(join(env['PORTOLAN_HOME'] ?? '', 'hooks/triggers.json'), 'utf8'))
}

describe('the hooks', () => {
  it('offer traces when a command fails, at most every half minute', async () => {
    await knowing({
      title: 'frobnicator socket hang up',
      solution_text: 'Restart the frobnicator and wait for it.',
    })
    const output = await hook('PostToolUse', FAILURE)
    expect(JSON.stringify(output)).toMatch(/Traces about this error.*Restart the frobnicator/)
    expect(
      await hook('PostToolUse', {
        ...FAILURE,
        tool_response: { stderr: 'Error: another', exit_code: 2 },
      }),
    ).toBeUndefined()
  })

  it('come more often where they help, less often where they are ignored, and never fall silent', async () => {
    const triggers = new Triggers(env['PORTOLAN_HOME'] ?? '')
    const base = { fired: 10, consumed: 2, suppressed: 0 }
    expect(cooldownMs('bash_error', base)).toBe(30_000)
    expect(cooldownMs('bash_error', { ...base, consumed: 4 })).toBe(15_000)
    expect(cooldownMs('bash_error', { ...base, fired: 20, consumed: 0 })).toBe(90_000)
    expect(cooldownMs('bash_error', { ...base, fired: 19, consumed: 0 })).toBe(30_000)
    expect(cooldownMs('error_recurrence', base)).toBe(60_000)

    for (let n = 0; n < 20; n += 1) await triggers.mayFire('bash_error', 30_000)
    const fired = []
    for (let n = 0; n < 20; n += 1) fired.push(await triggers.mayFire('bash_error', 89_000))
    expect(fired.flatMap((yes, index) => (yes ? [index + 1] : []))).toEqual([10, 20])
    for (let n = 0; n < 10; n += 1) await triggers.consumed('bash_error')
    expect(await triggers.mayFire('bash_error', 15_000)).toBe(true)
  })

  it('know that an offer was taken up when a trace is opened, or a known fix works', async () => {
    await knowing({ title: 'frobnicator socket hang up' })
    await hook('PostToolUse', FAILURE)
    const opened = { tool_name: 'mcp__portolan__get_trace', tool_input: { trace_id: 'some-id' } }
    await hook('PostToolUse', opened)
    await hook('PostToolUse', opened)
    expect((await triggerFile()).bash_error).toMatchObject({ fired: 1, consumed: 1 })
    await hook('PostToolUse', SUCCESS)
    await hook('PostToolUse', { ...FAILURE, session_id: 'next' })
    await hook('PostToolUse', { ...SUCCESS, session_id: 'next' })
    expect((await triggerFile()).error_recurrence).toMatchObject({ fired: 1, consumed: 1 })
  })

  it('tell the owner what the triggers did, where telemetry is on, and count a session once', async () => {
    const report = async () => {
      const admin = await openEmbedded(env)
      const response = await admin.traces.fetch(
        new Request('http://traces/api/v1/analytics/assisted-resolution', {
          headers: { 'X-Admin-Token': 'owner' },
        }),
      )
      const body: Record<string, unknown> = JSON.parse(await response.text())
      await admin.close()
      return body
    }
    env['ADMIN_DASHBOARD_TOKEN'] = 'owner'
    await hook('PostToolUse', FAILURE)
    await hook('Stop', {})
    expect(await report()).toMatchObject({ searches_fired: 0 })
    env['COMMONTRACE_TELEMETRY'] = 'true'
    await hook('PostToolUse', SUCCESS)
    await hook('Stop', {})
    await hook('Stop', {})
    expect(await report()).toMatchObject({ searches_fired: 1, resolutions_total: 1 })
  })

  it('forget sessions after three months', async () => {
    await hook('PostToolUse', FAILURE)
    const folderOf = join(env['PORTOLAN_HOME'] ?? '', 'hooks/sessions')
    const [name = ''] = await readdir(folderOf)
    await hook('SessionStart', {})
    expect(await readdir(folderOf)).toHaveLength(1)
    const old = new Date(Date.now() - 91 * 86_400_000)
    await utimes(join(folderOf, name), old, old)
    await hook('SessionStart', {})
    expect(await readdir(folderOf)).toEqual([])
  })

  it('remember how an error was solved here, credit the trace that was opened, and offer the fix next time', async () => {
    await hook('PostToolUse', FAILURE)
    const trace_id = '11111111-1111-4111-8111-111111111111'
    await hook('PostToolUse', {
      tool_name: 'mcp__portolan__get_trace',
      tool_input: { trace_id },
      tool_response: 'plain text',
    })
    await hook('PostToolUse', SUCCESS)
    const [entry] = await new HookState(env['PORTOLAN_HOME'] ?? '').ledger()
    expect(entry).toMatchObject({ kind: 'resolved', fix_command: 'npm test -- --run', trace_id })
    const again = await hook('PostToolUse', { ...FAILURE, session_id: 'another' })
    expect(JSON.stringify(again)).toMatch(/solved in this project before, by: npm test/)
  })

  it('propose a contribution once, at the end of a session that solved something', async () => {
    expect(await hook('Stop', {})).toBeUndefined()
    await hook('PostToolUse', FAILURE)
    await hook('PostToolUse', SUCCESS)
    expect(await hook('Stop', { stop_hook_active: true })).toBeUndefined()
    expect(await hook('Stop', {})).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('Ask the user'),
    })
    expect(await hook('Stop', {})).toBeUndefined()
  })

  it('propose nothing when the agent has contributed already', async () => {
    await hook('PostToolUse', FAILURE)
    await hook('PostToolUse', SUCCESS)
    await hook('PostToolUse', { tool_name: 'mcp__portolan__contribute_trace', tool_input: {} })
    expect(await hook('Stop', {})).toBeUndefined()
  })

  it('report what a trace has saved, when telemetry is on and only then', async () => {
    const trace_id = '11111111-1111-4111-8111-111111111111'
    const opened = { tool_name: 'mcp__portolan__get_trace', tool_input: { trace_id } }
    const solve = async () => {
      await hook('PostToolUse', FAILURE)
      await hook('PostToolUse', opened)
      await hook('PostToolUse', SUCCESS)
      const connection = await connectTraces(env)
      const { body } = await connection.request('GET', '/analytics/savings')
      await connection.close()
      return body['event_count']
    }
    expect(await solve()).toBe(0)
    env['COMMONTRACE_TELEMETRY'] = 'true'
    expect(await solve()).toBe(1)
  })

  it('tell a new session what is known about projects like this one', async () => {
    await writeFile(join(folder.path, 'pyproject.toml'), 'dependencies = ["fastapi"]')
    expect(await hook('SessionStart', {})).toBeUndefined()
    await knowing({ title: 'FastAPI common patterns for python startup', tags: ['python'] })
    const output = await hook('SessionStart', {})
    expect(JSON.stringify(output)).toMatch(/this python fastapi project.*FastAPI common patterns/)
  })

  it('send nothing of the output but what redaction left', async () => {
    const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
    await hook('PostToolUse', {
      ...FAILURE,
      tool_input: { command: `curl -H token=${secret}` },
      tool_response: { stderr: `fatal: ${secret} zzz unheard of`, exit_code: 1 },
    })
    const connection = await connectTraces(env)
    const { body } = await connection.request('GET', '/wanted')
    await connection.close()
    expect(JSON.stringify(body)).toMatch(/unheard of/)
    const state = await new HookState(env['PORTOLAN_HOME'] ?? '').load('s')
    expect(JSON.stringify([body, state])).not.toContain(secret)
  })

  it.each([['no JSON at all'], ['{"tool_input": 5}'], ['']])(
    'stay silent for %j',
    async (input) => {
      expect(await runHook('PostToolUse', input, env)).toBeUndefined()
      expect(await readFile(join(env['PORTOLAN_HOME'] ?? '', 'hooks/errors.log'), 'utf8')).not.toBe(
        '',
      )
    },
  )

  it('stay silent when the service is out', async () => {
    env['API_BASE_URL'] = 'http://127.0.0.1:1'
    expect(await hook('PostToolUse', FAILURE)).toBeUndefined()
  })
})

describe('installing the hooks', () => {
  it('adds them once, keeps everything else, and takes them out again', async () => {
    const file = join(folder.path, '.claude/settings.json')
    await mkdir(join(folder.path, '.claude'))
    const before = {
      model: 'x',
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }] },
    }
    await writeFile(file, JSON.stringify(before))
    await installHooks(file)
    await installHooks(file)
    const installed = JSON.parse(await readFile(file, 'utf8'))
    expect(Object.keys(installed.hooks)).toEqual([
      'Stop',
      'SessionStart',
      'PostToolUse',
      'PostToolUseFailure',
    ])
    expect(installed.hooks.Stop).toHaveLength(2)
    expect(installed.hooks.PostToolUse[0].matcher).toMatch(/contribute_trace/)
    await uninstallHooks(file)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(before)
  })

  it('makes a missing file, and leaves a broken one alone', async () => {
    const file = join(folder.path, 'settings.json')
    await installHooks(file)
    expect(await readFile(file, 'utf8')).toContain('npx portolan traces hook Stop')
    await writeFile(file, '{ broken')
    await expect(installHooks(file)).rejects.toThrow(/mend it first/)
    expect(await readFile(file, 'utf8')).toBe('{ broken')
  })
})

describe('what the hooks are made of', () => {
  it.each([
    ['DB_PASSWORD=hunter2 failed', 'DB_PASSWORD=[redacted] failed'],
    ['postgres://me:pw@host/db', 'postgres://[credentials]@host/db'],
    ['Authorization: Bearer abcdefghijkl', 'Authorization: [redacted] [token]'],
    ['key AKIAIOSFODNN7EXAMPLQ', 'key [aws key]'],
    ['mail jane@acme.io', 'mail [e-mail]'],
    ['in /home/jane/app', 'in /home/user/app'],
    [`sum ${'a1'.repeat(30)}`, 'sum [long token]'],
  ])('redacts %s', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it('know one mistake again in another place at another time', () => {
    const one = errorSignature('Error at /home/a/src/x.ts:12:5 2024-01-01T10:00:00Z id 0xdeadbeef')
    expect(errorSignature('Error at /tmp/b/src/x.ts:99:1 2025-06-07T11:12:13Z id 0xcafe')).toBe(one)
  })

  it.each([
    [0, 'Error: shown but fine', false],
    [1, '', true],
    [undefined, 'Traceback (most recent call last):', true],
    [undefined, '3 failed, 2 passed', true],
    [undefined, '0 failed, 5 passed', false],
    [undefined, 'all good', false],
  ])('tell failure from success: exit %j, %j', (code, output, expected) => {
    expect(hasFailed(code, output)).toBe(expected)
  })

  it('read language and framework from the manifest', async () => {
    await writeFile(
      join(folder.path, 'package.json'),
      '{"dependencies": {"next": "15", "react": "19"}}',
    )
    await writeFile(join(folder.path, 'tsconfig.json'), '{}')
    expect(await detectProject(folder.path)).toEqual({ language: 'typescript', framework: 'next' })
  })
})
