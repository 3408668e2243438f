import { chmod, mkdir, readFile, readdir, realpath, utimes, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OPENED, TRACE_ID, hookSession } from '../../../../../test/support/hook-session.ts'
import { tempFolder } from '../../../../../test/support/temp-folder.ts'
import { loadHookConfig, saveHookSetting } from '../hook-config.ts'
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

  it('tells the user once what the hooks do', async () => {
    const first = String((await on().hook('SessionStart', {}))?.['systemMessage'])
    expect(first).toContain('Portolan traces: hooks are on')
    expect(await on().hook('SessionStart', {})).toBeUndefined()
  })

  it('forgets each thing after its time, and what only an earlier version knew', async () => {
    const fixed = { project: 'p', signature: 's', fix_command: 'c', fix_files: [] }
    await on().memory.add(
      { kind: 'resolved', at: at(181), ...fixed },
      { kind: 'resolved', at: at(179), ...fixed },
      { kind: 'used', at: at(31), project: 'p', trace_id: '1', title: 't' },
      { kind: 'downvoted', at: at(8), trace_id: '1' },
      { kind: 'fired', at: at(61), trigger: 'bash_error' },
    )
    const saved = { kind: 'saved', at: at(1), project: 'p', tokens: 1, minutes: 1 }
    const file = join(on().home, 'hooks/memory.jsonl')
    await writeFile(file, `${JSON.stringify(saved)}\n`, { flag: 'a' })
    await on().hook('PostToolUse', OPENED)
    const sessions = join(on().home, 'hooks/sessions')
    const [name = ''] = await readdir(sessions)
    await utimes(join(sessions, name), new Date(at(91)), new Date(at(91)))
    await on().hook('SessionStart', {})
    expect((await on().memory.lines()).map(({ kind }) => kind)).toEqual(['resolved', 'used'])
    expect(await readFile(file, 'utf8')).not.toContain('saved')
    expect(await readdir(sessions)).toEqual([])
  })

  it('reads the settings of an earlier version, without those that are gone', async () => {
    await mkdir(join(on().home, 'hooks'), { recursive: true })
    const file = join(on().home, 'hooks/config.json')
    await writeFile(file, '{"auto_contribute": true, "savings_recap": false, "telemetry": true}')
    expect(await loadHookConfig(on().env)).toMatchObject({ auto_contribute: true })
    await saveHookSetting(on().env, 'update_check', 'true')
    expect(await readFile(file, 'utf8')).not.toMatch(/savings_recap|telemetry/)
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
