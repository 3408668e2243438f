import { expect, it, vi } from 'vitest'
import { startGateway } from '../support/gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { runCli } from '../support/run-cli.ts'
import { stdioUpstream } from '../support/start.ts'
import { storedSecrets } from '../support/stored-secrets.ts'
import { tempFolder } from '../support/temp-folder.ts'

vi.setConfig({ testTimeout: 120_000 })

const TOKEN = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'

it('adds, lists, tests, disables, enables and removes a server of the user, with its key stored apart', async () => {
  const folder = tempFolder()
  const { command, args } = stdioUpstream()
  const words = ['server', 'add', 'real', '--env', `GITHUB_TOKEN=${TOKEN}`, '--', command, ...args]
  const added = await runBuilt(folder, words)
  expect(added.stdout).toContain(`✓ real is in ${folder.file('data/mcp.json')}`)
  expect(folder.read('data/mcp.json')).not.toContain(TOKEN)
  expect(storedSecrets(folder)).toContain(TOKEN)
  const again = await runBuilt(folder, ['server', 'add', 'real', '--url', 'https://x.example/mcp'])
  expect(again.stderr).toContain("has a server 'real' already")

  const tested = await runBuilt(folder, ['server', 'test', 'real'])
  expect(tested.stdout).toMatch(/✓ servers {3}real: \d+ tools/)
  const near = await runBuilt(folder, ['server', 'test', 'rael'])
  expect(near.stderr).toContain("Did you mean 'real'?")

  const states = async () => {
    const { stdout } = await runBuilt(folder, ['server', 'list', '--json'])
    return JSON.parse(stdout).servers.map((one: Record<string, string>) => [
      one['name'],
      one['state'],
    ])
  }
  expect(await states()).toContainEqual(['real', 'enabled'])
  await runBuilt(folder, ['server', 'disable', 'real'])
  expect(await states()).toContainEqual(['real', 'disabled'])
  await runBuilt(folder, ['server', 'enable', 'real'])
  expect(await states()).toContainEqual(['real', 'enabled'])
  await runBuilt(folder, ['server', 'remove', 'real'])
  expect(await states()).not.toContainEqual(['real', 'enabled'])
  expect((await runBuilt(folder, ['server', 'remove', 'real'])).code).toBe(1)
})

it('writes a server of the project to its file, and refuses what is no server', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', '{\n  // ours\n  "mcpServers": {}\n}\n')
  const added = [
    'server',
    'add',
    'docs',
    '--project',
    '--no-test',
    '--url',
    'https://d.example/mcp',
  ]
  expect((await runBuilt(folder, added)).code).toBe(0)
  expect(folder.read('.mcp.json')).toContain('// ours')
  expect(folder.read('.mcp.json')).toContain('"url": "https://d.example/mcp"')
  const neither = await runBuilt(folder, ['server', 'add', 'none'])
  expect(neither.stderr).toContain('give either a URL, or the command after two dashes')
  const dashless = await runBuilt(folder, ['server', 'add', 'none', 'npx', '-y', 'some-server'])
  expect(dashless.stderr).toContain('Give the command after two dashes: portolan server add files')
  const bare = ['server', 'add', 'linear', '--project', '--no-test', 'https://l.example/mcp']
  expect((await runBuilt(folder, bare)).code).toBe(0)
  expect(folder.read('.mcp.json')).toContain('"url": "https://l.example/mcp"')
  const mixed = ['server', 'add', 'odd', '--env', 'A=1', '--url', 'https://x.example/mcp']
  expect((await runBuilt(folder, mixed)).stderr).toContain('--env is for a command')
  const ftp = await runBuilt(folder, ['server', 'add', 'odd', '--url', 'ftp://x'])
  expect(ftp.stderr).toContain('must start with http')
})

it('asks the running gateway for states and logs, and has it restart one server', async () => {
  const folder = tempFolder()
  const chatty = 'process.stderr.write("started " + process.pid + "\\n")'
  const { command, args } = stdioUpstream()
  folder.write('.mcp.json', {
    mcpServers: {
      loud: {
        command,
        args: ['--import', `data:text/javascript,${encodeURIComponent(chatty)}`, ...args],
      },
      other: stdioUpstream(),
    },
  })
  const none = await runBuilt(folder, ['server', 'logs', 'loud'])
  expect(none.stderr).toContain('No gateway with these files answers at http://127.0.0.1:7411')
  const { url } = await startGateway(folder)
  const env = { PORTOLAN_LISTEN_PORT: new URL(url).port }
  const pids = async () => {
    const { stdout } = await runBuilt(folder, ['server', 'logs', 'loud'], env)
    return [...stdout.matchAll(/started (\d+)/g)].map(([, pid]) => pid)
  }
  const listed = await runBuilt(folder, ['server', 'list', '--json'], env)
  // Nobody has called it: "0 tools" would be wrong.
  expect(JSON.parse(listed.stdout).servers).toContainEqual(
    expect.objectContaining({ name: 'other', state: 'idle', tools: null }),
  )
  const test = async (name: string) => runBuilt(folder, ['server', 'test', name], env)
  expect((await test('loud')).stdout).toMatch(/loud: \d+ tools/)
  expect((await test('loud')).stdout).toMatch(/loud: \d+ tools/)
  const [tested, ...others] = await pids()
  expect(others).toEqual([])
  const restart = async () => runBuilt(folder, ['server', 'restart', 'loud'], env)
  expect((await restart()).stdout).toContain('✓ loud was restarted, and offers ')
  const newest = async () => (await pids()).at(-1) ?? tested
  await expect.poll(newest, { timeout: 60_000, interval: 500 }).not.toBe(tested)
  const first = await newest()
  const { stdout } = await runBuilt(folder, ['server', 'list'], env)
  expect(stdout).toMatch(/loud\s+node.*ready/)
  expect(stdout).toMatch(/other\s+node.*idle/)
  await restart()
  const second = async () => (await pids()).at(-1) ?? first
  await expect.poll(second, { timeout: 60_000, interval: 500 }).not.toBe(first)
  const wrong = await runBuilt(folder, ['server', 'restart', 'load'], env)
  expect(wrong.stderr).toContain("Did you mean 'loud'?")
})

it('lists a broken entry in a line of the table, and its problem below', async () => {
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { typo: { comand: 'node' }, other: stdioUpstream() } })
  const { stdout } = await runBuilt(folder, ['server', 'list'])
  expect(stdout).toMatch(/^ *typo +broken +\S*\.mcp\.json$/m)
  expect(stdout).toMatch(/^✗ typo: Server "typo" must specify/m)
})

it('starts a server when its missing variable is stored, stops it when that is removed, and says which is missing', async () => {
  const folder = tempFolder()
  const needy = stdioUpstream()
  folder.write('.mcp.json', {
    mcpServers: { needy: { ...needy, env: { STRIPE_KEY: '${STRIPE_KEY}' } } },
  })
  const { url } = await startGateway(folder)
  const env = { PORTOLAN_LISTEN_PORT: new URL(url).port }
  const run = async (...args: string[]) => runBuilt(folder, args, env)
  const server = async (verb: string) => run('server', verb, 'needy')

  const missing = await server('restart')
  expect(missing.code).toBe(1)
  expect(missing.stdout).not.toContain('✓')
  expect(missing.stderr).toContain('portolan secrets set STRIPE_KEY')
  expect((await server('test')).stdout).toContain('→ portolan secrets set STRIPE_KEY\n')

  await runCli(folder, ['secrets', 'set', 'STRIPE_KEY'], env, 'sk_test_1\n')
  const tested = async () => (await server('test')).stdout
  await expect.poll(tested, { timeout: 30_000, interval: 200 }).toMatch(/needy: \d+ tools/)
  expect((await server('restart')).stdout).toContain('✓ needy was restarted, and offers ')

  await run('secrets', 'remove', 'STRIPE_KEY')
  await expect.poll(tested, { timeout: 30_000, interval: 200 }).toContain('STRIPE_KEY')
  expect((await server('restart')).code).toBe(1)
})

it('fails to restart a server that does not start again, with the reason and the next step', async () => {
  const folder = tempFolder()
  const { command, args } = stdioUpstream()
  const failing = `if (require('fs').existsSync(${JSON.stringify(folder.file('broken'))})) {
    console.error('Error: the licence has expired')
    process.exit(3)
  }`
  folder.write('before.cjs', failing)
  folder.write('.mcp.json', {
    mcpServers: { fragile: { command, args: ['--require', folder.file('before.cjs'), ...args] } },
  })
  const { url } = await startGateway(folder)
  const env = { PORTOLAN_LISTEN_PORT: new URL(url).port }
  const restart = async () => runBuilt(folder, ['server', 'restart', 'fragile'], env)
  expect(await restart()).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ fragile') })

  folder.write('broken', '')
  const { code, stdout } = await restart()
  expect(code).toBe(1)
  expect(stdout).not.toContain('✓')
  expect(stdout).toMatch(/✗ servers +fragile: /)
  expect(stdout).toContain('the licence has expired')
  expect(stdout).toMatch(/→ \S/)
})

it('says which stored key a removed server was the last one to use', async () => {
  const folder = tempFolder()
  const env = { OWN: '${OWN_KEY}', BOTH: '${SHARED_KEY}', UNSTORED: '${HOME}' }
  folder.write('data/mcp.json', {
    mcpServers: {
      one: { command: 'one', env },
      two: { command: 'two', args: ['${SHARED_KEY}'] },
    },
  })
  folder.write('data/secrets.env', 'OWN_KEY="first"\nSHARED_KEY="second"\n')
  const remove = async (name: string) => (await runBuilt(folder, ['server', 'remove', name])).stdout
  const first = await remove('one')
  expect(first).toContain('portolan secrets remove OWN_KEY\n')
  expect(first).not.toMatch(/SHARED_KEY|HOME|first/)
  expect(await remove('two')).toContain('portolan secrets remove SHARED_KEY\n')
  expect(storedSecrets(folder)).toContain('OWN_KEY="first"')
})

it('shows how agents see the tools of a server, and changes that in an editor', async () => {
  const folder = tempFolder()
  const entry = { ...stdioUpstream(), tools: { echo: { name: 'say' }, 'ask_*': { hidden: true } } }
  folder.write('.mcp.json', { mcpServers: { real: entry } })
  const shown = async (name: string) => {
    const { stdout } = await runBuilt(folder, ['server', 'tools', 'real', '--json'])
    const { tools } = JSON.parse(stdout)
    return tools.find((tool: Record<string, unknown>) => tool['name'] === name)
  }
  expect(await shown('echo')).toMatchObject({
    shownAs: 'say',
    effect: 'read',
    parameters: ['text'],
  })
  expect(await shown('ask_roots')).toMatchObject({ shownAs: null })
  const table = await runBuilt(folder, ['server', 'tools', 'real'])
  expect(table.stdout).toMatch(/echo +say +read +\d+\n/)
  expect(table.stdout).toMatch(/ask_roots +hidden/)

  const draft = folder.file('draft.txt')
  folder.write(
    'edit.cjs',
    `const { readFileSync, writeFileSync } = require('node:fs')
     const text = readFileSync(process.argv[2], 'utf8')
     writeFileSync(${JSON.stringify(draft)}, text)
     writeFileSync(process.argv[2], text.replace('"say"', process.env.NEW_NAME))`,
  )
  const edit = async (name: string) =>
    runBuilt(folder, ['server', 'tools', 'real', '--edit'], {
      EDITOR: `${process.execPath} ${folder.file('edit.cjs')}`,
      NEW_NAME: name,
    })
  const edited = await edit('"repeat"')
  expect(edited.stdout).toContain('.mcp.json: a running gateway shows the tools so from now on')
  expect(folder.read('draft.txt')).toContain('//   echo(text)')
  expect(await shown('echo')).toMatchObject({ shownAs: 'repeat' })
  folder.write('.mcp.json', { mcpServers: { real: entry } })
  const refused = await edit('"two words"')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('mcpServers.real.tools.echo.name')
  expect(await shown('echo')).toMatchObject({ shownAs: 'say' })
})
