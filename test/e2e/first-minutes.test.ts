import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { debianProgram } from '../support/debian-program.ts'
import { MAIN, gatewayEnv, startGateway } from '../support/gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { runProgram } from '../support/run-program.ts'
import { CLIENT_IDS } from '../../src/cli/clients/client.ts'
import { stdioUpstream } from '../support/start.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

// Some start half a dozen processes, which takes its time beside other tests.
vi.setConfig({ testTimeout: 120_000 })

const FILES = ['.mcp.json', '.mcp-gateway-rules.json', 'portolan.yaml']

/** Runs a command in a terminal of its own and answers each question as it comes. */
async function inTerminal(folder: TempFolder, args: readonly string[], answers: readonly string[]) {
  const line = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: folder.path,
    env: { ...gatewayEnv(folder), TERM: 'xterm' },
  })
  let shown = ''
  const left = [...answers]
  let answered = 0
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString()
    const asked = stripVTControlCharacters(shown).match(/\? .*\[[Yy]\/[Nn]\]/g) ?? []
    while (answered < asked.length) {
      answered++
      child.stdin.write(`${left.shift() ?? ''}\r`)
    }
  })
  const [code]: unknown[] = await once(child, 'exit')
  return { code, shown, text: stripVTControlCharacters(shown), unasked: left }
}

describe('portolan init', () => {
  it('makes three files that are valid, and says what to do next', async () => {
    const folder = tempFolder()
    const { code, stdout } = await runBuilt(folder, ['init', '--yes'])
    expect(code).toBe(0)
    expect(stdout).toContain('portolan doctor')
    for (const name of FILES) expect(stdout).toContain(`✓ ${name}`)
    const isInBackground = existsSync(folder.file('.portolan/gateway.log'))
    expect(isInBackground, 'it counted our own tools').toBe(false)
    const checked = await runBuilt(folder, ['check', '--json'])
    expect(JSON.parse(checked.stdout)).toMatchObject({ ok: true, warnings: [] })
    expect(folder.read('portolan.yaml')).toMatch(/^# yaml-language-server: \$schema=https:/)
    const denied = await runBuilt(folder, ['explain', 'default', 'any', 'delete_row'])
    expect(denied.stdout).toContain('deny')
    const allowed = await runBuilt(folder, ['explain', 'default', 'any', 'list_rows'])
    expect(allowed.stdout).toContain('allow')
  })

  it('overwrites nothing with --yes, and adopts the servers of clients', async () => {
    const folder = tempFolder()
    for (const name of FILES.slice(1)) folder.write(name, '{}')
    const mine = '{"mcpServers": {"mine": {"command": "m"}}}'
    folder.write('.mcp.json', mine)
    folder.write('.cursor/mcp.json', { mcpServers: { theirs: { command: 't' } } })
    const { stdout } = await runBuilt(folder, ['init', '--yes', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      written: [],
      kept: FILES,
      adopted: { written: true, servers: [{ name: 'theirs' }] },
    })
    expect(JSON.parse(folder.read('data/mcp.json')).mcpServers).toEqual({
      theirs: { command: 't' },
    })
    expect(Object.keys(JSON.parse(folder.read('.cursor/mcp.json')).mcpServers)).toEqual([
      'portolan',
    ])
    expect(folder.read('.mcp.json')).toBe(mine)
    for (const name of FILES.slice(1)) expect(folder.read(name)).toBe('{}')
  })

  it('says which tools of the imported servers the rules deny', async () => {
    const folder = tempFolder()
    const server = createRequire(import.meta.url).resolve(
      '@modelcontextprotocol/server-memory/dist/index.js',
    )
    const memory = { command: process.execPath, args: [server] }
    folder.write('.cursor/mcp.json', { mcpServers: { memory, gone: { command: '/no/such' } } })
    const { code, stdout } = await runBuilt(folder, ['init', '--yes'])
    expect(code).toBe(0)
    expect(stdout).toContain('1 server did not answer: portolan doctor says why')
    expect(stdout).toMatch(
      /The rules deny 3 of \d+ tools: memory\.delete_entities, memory\.delete_observations, memory\.delete_relations/,
    )
  })

  it('says how to go on where nobody can answer', async () => {
    const folder = tempFolder()
    const { code, stderr } = await runBuilt(folder, ['init'])
    expect(code).toBe(1)
    expect(stderr).toContain('portolan init --yes')
    expect(readdirSync(folder.path)).toEqual([])
  })

  it('asks on a terminal, and does what it is told', async () => {
    const folder = tempFolder()
    folder.write('.cursor/mcp.json', { mcpServers: { theirs: { command: 't' } } })
    folder.write('portolan.yaml', '# mine\n')
    folder.write('.mcp-gateway-rules.json', '{}')
    // Overwrite the rules: yes. Overwrite the settings: as suggested. Adopt: yes.
    const ran = await inTerminal(folder, ['init'], ['y', '', 'y'])
    expect(ran.text).toContain('Move 1 server and connect Cursor? [Y/n]')
    expect(ran.text).toContain('portolan.yaml already exists. Overwrite it? [y/N]')
    expect({ code: ran.code, unasked: ran.unasked }).toEqual({ code: 0, unasked: [] })
    expect(ran.shown).toContain('\u001B[32m✓')
    expect(JSON.parse(folder.read('.mcp.json'))).toEqual({ mcpServers: {} })
    expect(folder.read('portolan.yaml')).toBe('# mine\n')
    expect(folder.read('.mcp-gateway-rules.json')).toContain('"default"')
    expect(JSON.parse(folder.read('.cursor/mcp.json')).mcpServers).toHaveProperty('portolan')
  })
})

describe('portolan doctor', () => {
  it('finds nothing broken after init, and exits with 0', async () => {
    const folder = tempFolder()
    folder.write('.mcp.json', { mcpServers: { real: stdioUpstream() } })
    const { code, stdout } = await runBuilt(folder, ['doctor'], { PORTOLAN_LISTEN_PORT: '0' })
    expect(stdout).toMatch(/✓ servers {3}real: \d+ tools, [\d,]+ tokens, \d+ ms/)
    expect(stdout).toContain('→ portolan connect')
    expect(code).toBe(0)
  })

  it('names what is broken with the way to fix it, and exits with 1', async () => {
    const folder = tempFolder()
    folder.write('.mcp.json', {
      mcpServers: {
        gone: { command: 'no-such-program-anywhere' },
        unset: { command: 'x', env: { A: '${NOT_SET_HERE}' } },
        dead: { url: 'http://127.0.0.1:9/mcp' },
        hangs: { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] },
      },
    })
    folder.write('.mcp-gateway-rules.json', { agents: { a: { allow: { servers: ['ghost'] } } } })
    folder.write('data/code/broken/index.bin', 'nonsense')
    folder.write('data/code/broken/summary.json', { name: 'broken', root: folder.path })
    folder.write('data/portolan.db', 'this is no database, but a text of some length')
    const env = {
      PORTOLAN_LISTEN_HOST: '0.0.0.0',
      PORTOLAN_LISTEN_PORT: '0',
      PORTOLAN_DATABASE_URL: '',
      PORTOLAN_REDIS_URL: 'redis://:pa55word@127.0.0.1:9',
    }
    const { code, stdout } = await runBuilt(folder, ['doctor', '--json', '--timeout', '3s'], env)
    expect(code).toBe(1)
    const { ok, findings } = JSON.parse(stdout)
    expect(ok).toBe(false)
    const broken = findings.filter(({ status }: { status: string }) => status === 'fail')
    const told = broken.map((each: Record<string, string>) => `${each['area']}: ${each['message']}`)
    expect(told.join('\n')).toMatch(/servers: gone: .*ENOENT/)
    expect(told.join('\n')).toMatch(/servers: unset: Environment variable "NOT_SET_HERE"/)
    expect(told.join('\n')).toMatch(/servers: dead: .*ECONNREFUSED/)
    expect(told).toContain('servers: hangs: no answer within 3 s')
    expect(told).toContain('keys: 0.0.0.0 is open to the network, and there is no key')
    expect(told).toContain('code: broken: the index is damaged')
    expect(told.join('\n')).toMatch(/knowledge: the database cannot be read/)
    expect(told.join('\n')).toMatch(/redis: PORTOLAN_REDIS_URL: .*ECONNREFUSED/)
    for (const { fix } of broken) expect(fix).toBeTruthy()
    expect(stdout).not.toContain('pa55word')
    const odd = findings.filter(({ status }: { status: string }) => status === 'warn')
    expect(odd.map(({ message }: { message: string }) => message)).toContain(
      'Agent "a" allow.servers references undefined server "ghost"',
    )
  })

  it('tells a port that we use from one that somebody else does', async () => {
    const { createServer } = await import('node:http')
    const other = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = String(typeof address === 'object' ? address?.port : 0)
    const folder = tempFolder()
    folder.write('.mcp.json', { mcpServers: { code: { builtin: 'code' } } })
    const { stdout } = await runBuilt(folder, ['doctor'], { PORTOLAN_LISTEN_PORT: port })
    other.close()
    expect(stdout).toContain(`127.0.0.1:${port} is in use by another program`)
    const { url } = await startGateway(folder)
    const own = new URL(url).port
    const again = await runBuilt(folder, ['doctor'], { PORTOLAN_LISTEN_PORT: own })
    expect(again.stdout).toMatch(new RegExp(`127.0.0.1:${own}: Portolan \\S+ is running`))
  })
})

describe('portolan demo', () => {
  it('shows every step with real calls in an empty folder, and leaves nothing behind', async () => {
    const folder = tempFolder()
    const before = demoFolders()
    const { code, stdout, stderr } = await runBuilt(folder, ['demo', '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const steps: { title: string; answer: string; tokens: number }[] = JSON.parse(stdout)
    expect(steps.map(({ title }) => title)).toEqual([
      'What an agent sees',
      'Servers',
      'Finding a tool',
      'Calling it',
      'What an agent may not do',
      'A long result',
      'Reading on',
      'Searching code',
      'The record',
    ])
    expect(steps[4]?.answer).toContain('agents.intern.deny.tools.tickets')
    expect(steps[5]?.tokens).toBeLessThanOrEqual(2000)
    expect(steps[8]?.answer).toMatch(/^\d+ allowed, 1 denied, [1-9][\d,]+ tokens/)
    expect(readdirSync(folder.path)).toEqual([])
    expect(demoFolders()).toEqual(before)
  })
})

function demoFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('portolan-demo-'))
}

/** A project with names to complete, and `portolan` on the PATH of a shell that runs a script. */
function aShell() {
  const folder = tempFolder()
  folder.write('.mcp.json', {
    mcpServers: { github: { command: 'g' }, gitlab: { command: 'l' } },
  })
  folder.write('.mcp-gateway-rules.json', { agents: { ada: {}, bob: {} } })
  folder.write('bin/portolan', `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`)
  chmodSync(folder.file('bin/portolan'), 0o755)
  const env = { ...gatewayEnv(folder), PATH: `${folder.file('bin')}:${process.env['PATH']}` }
  const run = async (program: string, args: string[]) => {
    const { stdout } = await runProgram(program, args, { cwd: folder.path, env })
    return stdout.trim().split('\n')
  }
  return { folder, run }
}

describe('portolan completion', () => {
  it('completes commands, options, choices, agents and servers in bash', async () => {
    const { folder, run } = aShell()
    const complete = async (...words: string[]) =>
      run('bash', [
        '-c',
        `source <(portolan completion bash)
COMP_WORDS=(portolan ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
_portolan; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ])
    expect(await complete('comp')).toEqual(['completion'])
    expect(await complete('connect', 'c')).toEqual(CLIENT_IDS.filter((id) => id.startsWith('c')))
    expect(await complete('import', '--on-conflict', 're')).toEqual(['rename', 'replace'])
    expect(await complete('doctor', '--js')).toEqual(['--json'])
    expect(await complete('explain', '')).toEqual(['ada', 'bob'])
    expect(await complete('explain', 'ada', 'git')).toEqual(['github', 'gitlab'])
    expect(await complete('keys', '')).toEqual(['create', 'list', 'revoke', 'mint', 'help'])
    expect(existsSync(folder.file('data'))).toBe(false)
  })

  it('completes in fish, with what each thing is', { timeout: 180_000 }, async () => {
    const fish = await debianProgram({
      name: 'fish',
      packageName: 'fish',
      need: 'Completion is tried in a real fish.',
    })
    const { folder, run } = aShell()
    folder.write('notes.md', '')
    const complete = async (line: string) =>
      run(fish, ['--no-config', '-c', `portolan completion fish | source; complete -C '${line}'`])
    expect(await complete('portolan comp')).toEqual([expect.stringMatching(/^completion\tprint a/)])
    expect(await complete('portolan import --on-conflict re')).toEqual([
      expect.stringMatching(/^rename\t/),
      expect.stringMatching(/^replace\t/),
    ])
    expect(await complete('portolan explain ')).toEqual(['ada\tagent', 'bob\tagent'])
    expect(await complete('portolan explain ada git')).toEqual(['github\tserver', 'gitlab\tserver'])
    expect(await complete('portolan ingest note')).toEqual(['notes.md'])
  })

  it('completes in zsh, at a prompt', { timeout: 180_000 }, async () => {
    const zsh = await debianProgram({
      name: 'zsh',
      packageName: 'zsh',
      need: 'Completion is tried in a real zsh.',
    })
    const { run } = aShell()
    // A zsh in a terminal of its own: the line is typed, Tab is pressed, and a key tells the line.
    const complete = async (line: string) =>
      run(zsh, [
        '-f',
        '-c',
        `zmodload zsh/zpty; rm -f line; zpty shell zsh -f -i
zpty -w shell 'tell() { print -r -- "$BUFFER" > line.new; mv line.new line }; zle -N tell; bindkey "^X" tell
autoload -U compinit; compinit -u -D; source <(portolan completion zsh)'
zpty -w -n shell $'${line}\t\x18'
for turn in {1..400}; do [[ -s line ]] && break; zpty -r -t shell out; sleep 0.1; done
cat line; zpty -d shell`,
      ])
    expect(await complete('portolan comp')).toEqual(['portolan completion'])
    expect(await complete('portolan connect claude-d')).toEqual(['portolan connect claude-desktop'])
    expect(await complete('portolan explain ada gith')).toEqual(['portolan explain ada github'])
  })
})

it.each([
  [['api', 'nsip', '--bearer-env', 'NOBODY_SET_IT'], 'the variable NOBODY_SET_IT is not set.'],
  [['api', 'other.yaml', '--demo'], '"other.yaml" has no demo.'],
  [['ingest', '.', '--depth', 'deep'], 'It must be a whole number from 0 to 5.'],
  [['knowledge', 'search', 'x', '-l', 'many'], 'It must be a whole number from 1 to 50.'],
  [['knowledge', 'eval', 'no-such.yml'], 'no-such.yml does not exist. Check the path.'],
])('says in one line what is wrong with portolan %s', async (args, words) => {
  const { code, stderr } = await runBuilt(tempFolder(), args)
  expect(code).toBe(1)
  expect(stderr).toContain(words)
  expect(stderr).not.toContain('    at ')
})
