import { chmod, mkdir, readFile, readdir, realpath, utimes, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OPENED, TRACE_ID, hookSession } from '../../../../../test/support/hook-session.ts'
import { tempFolder } from '../../../../../test/support/temp-folder.ts'
import { saveHookSetting } from '../hook-config.ts'
import { runHook } from '../run-hook.ts'

const on = hookSession()
const DAY_MS = 86_400_000

function at(days: number): number {
  return Date.now() - days * DAY_MS
}

describe('a new session', () => {
  it('hears what is known about projects like this one, and what was used here before', async () => {
    await writeFile(on().folder.file('pyproject.toml'), 'dependencies = ["fastapi"]')
    await on().knowing({ title: 'FastAPI common patterns for python startup', tags: ['python'] })
    await on().hook('PostToolUse', OPENED)
    const output = JSON.stringify(await on().hook('SessionStart', {}))
    expect(output).toMatch(/this python fastapi project.*FastAPI common patterns/)
    expect(output).toContain(`\\"The frobnicator hangs\\" (${TRACE_ID})`)
    await on().hook('PostToolUse', {
      tool_name: 'mcp__traces__vote_trace',
      tool_input: { trace_id: TRACE_ID, vote_type: 'down' },
    })
    expect(JSON.stringify(await on().hook('SessionStart', {}))).not.toContain(
      'The frobnicator hangs',
    )
  })

  it.skipIf(process.platform === 'win32')(
    'asks for updates in a folder of its own, whose .npmrc nobody else has written',
    async () => {
      const bin = tempFolder()
      bin.write('npm', `#!/bin/sh\npwd > ${bin.file('where')}\necho 99.0.0\n`)
      await chmod(bin.file('npm'), 0o755)
      on().env['PATH'] = [bin.path, process.env['PATH']].join(delimiter)
      await saveHookSetting(on().env, 'update_check', 'true')
      const output = JSON.stringify(await on().hook('SessionStart', {}))
      expect(output).toContain('Portolan 99.0.0 is out')
      expect(bin.read('where').trim()).toBe(await realpath(on().home))
    },
  )

  it('tells the user once what the hooks do, once a month and once a day what they did', async () => {
    const now = new Date()
    const lastMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 15)
    const project = 'p'
    await on().memory.add(
      {
        kind: 'saved',
        at: lastMonth,
        project,
        event_type: 'measured_recurrence',
        tokens: 400_000,
        minutes: 30,
      },
      {
        kind: 'saved',
        at: lastMonth - 90 * DAY_MS,
        project,
        event_type: 'measured_recurrence',
        tokens: 1,
        minutes: 1,
      },
    )
    const first = String((await on().hook('SessionStart', {}))?.['systemMessage'])
    expect(first).toContain('Portolan traces: hooks are on')
    expect(first).toMatch(/Compiled \d{4}-\d\d: .*400,000 tokens \(\$2\.00\) and 30 minutes saved/)
    expect(await on().hook('SessionStart', {})).toBeUndefined()
    await writeFile(join(on().home, 'hooks/last-recap-day'), 'yesterday')
    const next = String((await on().hook('SessionStart', {}))?.['systemMessage'])
    expect(next).toMatch(/^Traces so far: .*400,001 tokens/)
    expect(await on().hook('SessionStart', {})).toBeUndefined()
  })

  it('forgets each thing after its time, and savings never', async () => {
    const fixed = {
      project: 'p',
      signature: 's',
      fix_command: 'c',
      fix_files: [],
      tokens: 0,
      minutes: 0,
    }
    await on().memory.add(
      { kind: 'failed', at: at(91), project: 'p', signature: 's' },
      { kind: 'failed', at: at(89), project: 'p', signature: 's' },
      { kind: 'resolved', at: at(181), ...fixed },
      { kind: 'resolved', at: at(179), ...fixed },
      { kind: 'used', at: at(31), project: 'p', trace_id: '1', title: 't' },
      { kind: 'downvoted', at: at(8), trace_id: '1' },
      { kind: 'fired', at: at(61), trigger: 'bash_error' },
      {
        kind: 'saved',
        at: at(4_000),
        project: 'p',
        event_type: 'measured_recurrence',
        tokens: 1,
        minutes: 1,
      },
    )
    await on().hook('PostToolUse', OPENED)
    const sessions = join(on().home, 'hooks/sessions')
    const [name = ''] = await readdir(sessions)
    await utimes(join(sessions, name), new Date(at(91)), new Date(at(91)))
    await on().hook('SessionStart', {})
    const kept = (await on().memory.lines()).map(({ kind }) => kind)
    expect(kept).toEqual(['failed', 'resolved', 'saved', 'used'])
    expect(await readdir(sessions)).toEqual([])
  })
})

describe('what was saved', () => {
  it('is what an error took the first time, less what it took now, by the transcript', async () => {
    const transcript_path = on().folder.file('transcript.jsonl')
    const spend = async (id: string, output_tokens: number) =>
      writeFile(
        transcript_path,
        `${JSON.stringify({ timestamp: new Date().toISOString(), message: { id, usage: { output_tokens } } })}\n`,
        { flag: 'a' },
      )
    on().env['COMMONTRACE_TELEMETRY'] = 'true'
    await on().fails({ transcript_path })
    await spend('a', 50_000)
    await on().works({ transcript_path })
    await on().fails({ transcript_path, session_id: 'later' })
    await spend('b', 2_000)
    await on().works({ transcript_path, session_id: 'later' })
    expect(await on().memory.of('saved')).toMatchObject([
      { event_type: 'measured_recurrence', tokens: 48_000 },
    ])
    const { body } = await on().ask('GET', '/analytics/savings')
    expect(body).toMatchObject({
      event_count: 1,
      total_tokens_saved: 48_000,
      total_usd_saved: 0.24,
    })
  })

  it('is what the author of a trace spent, where a trace helped; told only where telemetry is on', async () => {
    const id = await on().knowing({
      title: 'frobnicator socket hang up',
      tokens_to_resolution: 7_000,
      metadata_json: { minutes: 12 },
    })
    await on().fails()
    await on().works()
    expect(await on().memory.of('saved')).toMatchObject([
      { event_type: 'proxy_consumption', trace_id: id, tokens: 7_000, minutes: 12 },
    ])
    const { body } = await on().ask('GET', '/analytics/savings')
    expect(body).toMatchObject({ event_count: 0 })
  })
})

describe('whatever happens', () => {
  it.each([['no JSON at all'], ['{"tool_input": 5}'], ['']])(
    'a hook stays silent for %j',
    async (text) => {
      expect(await runHook({ event: 'PostToolUse', text, env: on().env })).toBeUndefined()
      expect(await readFile(join(on().home, 'hooks/errors.log'), 'utf8')).toMatch(
        /^\S+ PostToolUse /,
      )
    },
  )

  it('a hook stays silent when the service is out, and learns all the same', async () => {
    on().env['PORTOLAN_TRACES_URL'] = 'http://127.0.0.1:1'
    expect(await on().fails()).toBeUndefined()
    await on().edits('a.ts')
    await on().works()
    expect(await on().hook('Stop', {})).toMatchObject({ decision: 'block' })
  })

  it('the log of errors stays under 256 KB and keeps the newest', async () => {
    await mkdir(join(on().home, 'hooks'), { recursive: true })
    const file = join(on().home, 'hooks/errors.log')
    await writeFile(file, 'old line\n'.repeat(29_000))
    await runHook({ event: 'Stop', text: 'x'.repeat(10_000), env: on().env })
    const text = await readFile(file, 'utf8')
    expect(text.length).toBeLessThan(256 * 1024)
    expect(text).toMatch(/ Stop SyntaxError[^\n]*\n$/)
  })
})
