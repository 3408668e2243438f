import { chmod, lstat, mkdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { commandHead, commandOutcome } from './command-outcome.ts'
import { detectProject } from './detect-project.ts'
import { errorSignature } from './events/after-command.ts'
import { parseHookInput } from './hook-input.ts'
import { HOOKS, limitMs } from './hooks-table.ts'
import { installHooks, uninstallHooks } from './install-hooks.ts'
import { redact, withoutSensitive } from './redact.ts'

function ran(command: string, tool_response: unknown) {
  const input = { tool_name: 'Bash', tool_input: { command }, tool_response }
  return commandOutcome(parseHookInput(JSON.stringify(input)))
}

describe('what leaves the machine', () => {
  it.each([
    ['DB_PASSWORD=hunter2 failed', 'DB_PASSWORD=[redacted] failed'],
    ['postgres://me:pw@host/db', 'postgres://[redacted]@host/db'],
    ['Authorization: Bearer abcdefghijkl', 'Authorization: Bearer [redacted]'],
    ['key AKIAIOSFODNN7EXAMPLQ', 'key [redacted]'],
    ['mail jane@acme.io', 'mail [e-mail]'],
    ['in /home/jane/app', 'in /home/user/app'],
    [`sum ${'a1'.repeat(30)}`, 'sum [long token]'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----', '[redacted]'],
  ])('is redacted: %s', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it('names no file that is named after what it hides', () => {
    const names = ['app.ts', '.env', '.env.local', 'id_rsa', 'server.pem', 'aws-credentials.json']
    expect(withoutSensitive([...names, 'app.ts', 'tokens.yaml'])).toEqual(['app.ts'])
  })
})

describe('a command', () => {
  it.each([
    ['make', { stdout: '', stderr: '', exit_code: 2 }, true],
    ['make', { stdout: '', stderr: 'warning: x', exit_code: 0 }, false],
    ['npm test | tail', { stdout: '3 failed, 2 passed', stderr: '', exit_code: 0 }, true],
    ['npm test', { stdout: '0 failed, 5 passed', stderr: '', interrupted: false }, false],
    ['pytest', { stdout: 'E  AssertionError: x', stderr: '', interrupted: false }, true],
    ['python a.py', 'Traceback (most recent call last):\n  x', true],
    ['node a.js', { stdout: 'x\nError: no\n', stderr: '', interrupted: false }, true],
    ['./run', { stdout: 'process exited with code 3', stderr: '', interrupted: false }, true],
    ['git push', { stdout: '', stderr: 'To github.com', interrupted: false }, false],
    ['git push', { stdout: '', stderr: 'remote: no' }, true],
    ['sleep 9', { stdout: '', stderr: 'cut', interrupted: true }, true],
    ['cat test.log', { stdout: 'FAIL a.test.ts', stderr: '', interrupted: false }, false],
    ['cd app && grep -rn FAIL .', { stdout: 'a: FAIL', stderr: '', interrupted: false }, false],
    ['ls', { stdout: 'all good', stderr: '', interrupted: false }, false],
  ])('%s that answered %j has failed: %j', (command, response, expected) => {
    expect(ran(command, response).hasFailed).toBe(expected)
  })

  it('says what the program said, without what the harness adds', () => {
    const error =
      'Exit code 1\nError: no\nShell cwd was reset to /x\n<system-reminder>y</system-reminder>'
    const input = { tool_name: 'Bash', tool_input: { command: 'x' }, error }
    expect(commandOutcome(parseHookInput(JSON.stringify(input)))).toEqual({
      hasFailed: true,
      output: 'Error: no',
    })
  })

  it.each([
    ['npm test -- --run', 'npm test'],
    ['cd app && CI=1 npm --silent test', 'npm test'],
    ['pytest tests/a.py -x', 'pytest'],
    ['python3 -m app', 'python3 app'],
  ])('%s is a run of %s', (command, head) => {
    expect(commandHead(command)).toBe(head)
  })
})

describe('the signature of an error', () => {
  const ERROR = 'Error at /home/a/src/x.ts:12:5 2024-01-01T10:00:00Z id 0xdeadbeef after 1.23s'

  it('is the same in another place at another time', () => {
    const again = 'Error  at /tmp/b/src/x.ts:99:1 2025-06-07T11:12:13Z id 0xcafe after 20ms'
    expect(errorSignature(again)).toBe(errorSignature(ERROR))
    const long = 'x'.repeat(800)
    expect(errorSignature(`${long} ${again}`)).toBe(errorSignature(`${long} ${ERROR}`))
  })

  it.each([
    ['commit 3f2a9bc1 missing', 'commit 77aa01ff missing'],
    ['row 8c7f0f0e-0000-4000-8000-1234567890ab', 'row 11111111-1111-4111-8111-111111111111'],
    ['token of 1718000000', 'token of 1719999999'],
    ['File "a.py", line 3', 'File "a.py", line 40'],
  ])('does not tell %s from %s', (one, other) => {
    expect(errorSignature(one)).toBe(errorSignature(other))
  })

  it('tells a 404 from a 500, and ends after 500 characters', () => {
    expect(errorSignature('HTTP 404')).not.toBe(errorSignature('HTTP 500'))
    expect(errorSignature('word '.repeat(300)).length).toBeLessThanOrEqual(500)
  })
})

describe('a project', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    [
      'by most of its files, and its manifest',
      {
        'package.json': '{"dependencies":{"next":"15","react":"19"}}',
        'src/a.ts': '',
        'b.js': '',
        'c.ts': '',
      },
      { language: 'typescript', framework: 'next' },
    ],
    [
      'not by what it depends on',
      {
        'pyproject.toml': '["django"]',
        'a.py': '',
        'node_modules/x/a.js': '',
        'node_modules/x/b.js': '',
      },
      { language: 'python', framework: 'django' },
    ],
    [
      'not by what lies too deep',
      { 'a.go': '', '1/2/3/4/a.py': '', '1/2/3/4/b.py': '' },
      { language: 'go' },
    ],
    ['by its manifest when there is no code yet', { 'Cargo.toml': '' }, { language: 'rust' }],
    ['not at all when it is empty', {}, {}],
  ])('is known %s', async (_, files, expected) => {
    const folder = tempFolder()
    for (const [name, text] of Object.entries(files)) folder.write(name, text)
    await mkdir(folder.file('.git'))
    await mkdir(folder.file('inner'))
    expect(await detectProject(folder.file('inner'))).toEqual(expected)
  })

  it('is not looked for in a manifest that nobody has written', async () => {
    const folder = tempFolder()
    const file = folder.write('package.json', '{"dependencies": {"react": "1"}}')
    await truncate(file, 65 * 1024 * 1024)
    expect(await detectProject(folder.path)).toEqual({ language: 'javascript' })
  })
})

describe('the hooks in the settings', () => {
  const before = {
    model: 'x',
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }] },
  }

  it('are added once, beside everything else, and taken out again', async () => {
    const file = tempFolder().write('.claude/settings.json', before)
    await installHooks(file)
    await installHooks(file)
    const { hooks } = JSON.parse(await readFile(file, 'utf8'))
    expect(Object.keys(hooks).toSorted()).toEqual(
      [...new Set(HOOKS.map(({ event }) => event))].toSorted(),
    )
    expect([hooks.Stop.length, hooks.PostToolUse.length]).toEqual([2, 2])
    await uninstallHooks(file)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(before)
  })

  it.each([
    'Write',
    'NotebookEdit',
    'mcp__portolan__traces__get_trace',
    'mcp__commontrace__contribute_trace',
    'mcp__portolan__execute_tool',
  ])('hear of %s', (tool) => {
    const matchers = HOOKS.filter(({ event }) => event === 'PostToolUse').map(
      (hook) => hook.matcher,
    )
    expect(matchers.some((matcher) => new RegExp(`^(?:${matcher})$`).test(tool))).toBe(true)
  })

  it('end before Claude Code would end them', () => {
    expect([limitMs('SessionStart', ''), limitMs('PostToolUse', 'Bash')]).toEqual([9_500, 4_500])
    expect([limitMs('PostToolUse', 'Write'), limitMs('PostToolUseFailure', 'Bash')]).toEqual([
      2_500, 2_500,
    ])
  })

  it('are written to the file that a link leads to, which keeps its mode', async () => {
    const folder = tempFolder()
    const file = folder.write('dotfiles/settings.json', before)
    await chmod(file, 0o600)
    const link = folder.file('settings.json')
    await symlink(file, link)
    await installHooks(link)
    expect((await lstat(link)).isSymbolicLink()).toBe(true)
    expect(await readFile(file, 'utf8')).toContain('npx portolan traces hook Stop')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('make a missing file, and leave a broken one alone', async () => {
    const folder = tempFolder()
    const file = join(folder.path, 'new/settings.json')
    await installHooks(file)
    expect(await readFile(file, 'utf8')).toContain('npx portolan traces hook Stop')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, '{ broken')
    await expect(installHooks(file)).rejects.toMatchObject({
      details: { hint: expect.stringContaining('Fix it first') },
    })
    expect(await readFile(file, 'utf8')).toBe('{ broken')
  })
})
