import { execFileSync } from 'node:child_process'
import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { aTrustedFolder } from '../../../test/support/trusted-folder.ts'
import { followHandEdits } from '../history/follow-hand-edits.ts'
import { trustedText } from '../history/trusted-text.ts'
import { VersionStore } from '../history/version-store.ts'
import { loadConfig } from '../load.ts'
import { watchConfig } from '../reload/watch.ts'
import { recordOwnFolder, revokeTrust } from './record-trust.ts'

const SETTINGS = 'portolan.yaml'
const RULES = '.mcp-gateway-rules.json'
const MCP = '.mcp.json'

/** A repository of the person's own, in which everything is committed. */
function anOwnRepository() {
  const folder = aTrustedFolder({
    [SETTINGS]: { listen: { port: 1 } },
    [RULES]: { agents: { ada: { allow: { servers: ['one'] } } } },
    [MCP]: { mcpServers: { one: { command: 'one' } } },
  })
  const { cwd, place, home } = folder
  recordOwnFolder(place, cwd.path)
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', cwd.path, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', HOME: home.path },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  const commit = (text: string) => git('commit', '-q', '-am', text)
  git('init', '-q')
  git('add', '.')
  commit('one')
  const follow = followHandEdits(place)
  const port = () => loadConfig(place).settings.listen.port
  const save = (value: number) => cwd.write(SETTINGS, { listen: { port: value } })
  return { ...folder, git, commit, follow, port, save }
}

describe('in a folder that the person has called theirs', () => {
  it('what is saved applies, in every file', () => {
    const { cwd, place, port, save } = anOwnRepository()
    save(2)
    cwd.write(RULES, { agents: { ada: { allow: { servers: ['one', 'two'] } } } })
    cwd.write(MCP, { mcpServers: { two: { command: 'two' } } })
    const config = loadConfig(place)
    expect(port()).toBe(2)
    expect([...config.servers.keys()]).toEqual(['two'])
    expect(config.rules?.agents['ada']?.allow?.servers).toEqual(['one', 'two'])
    expect(config.leftOut).toEqual([])
  })

  it('what is saved applies after it was committed, by whoever has seen it in time', async () => {
    const { port, save, commit, follow } = anOwnRepository()
    for (const value of [2, 3, 4]) {
      save(value)
      expect(await follow()).toHaveLength(1)
      commit(String(value))
      expect(port()).toBe(value)
    }
  })

  it('what git brings waits, and so does what is saved on top of it', async () => {
    const { port, save, commit, git, follow, trust, place } = anOwnRepository()
    git('switch', '-q', '-c', 'theirs')
    save(6)
    commit('theirs')
    git('switch', '-q', '-')
    expect(port()).toBe(1)
    git('merge', '-q', 'theirs')
    expect(port()).toBe(1)
    const [left] = loadConfig(place).leftOut
    expect(left).toMatchObject({ change: 'by git', message: expect.stringContaining('by git') })
    save(7)
    expect(port()).toBe(1)
    expect(await follow()).toEqual([])
    trust(SETTINGS)
    expect(port()).toBe(7)
    save(8)
    expect(port()).toBe(8)
  })

  it.each(['checkout', 'reset', 'stash'])('what %s brings is told from what is saved', (how) => {
    const { port, save, commit, git } = anOwnRepository()
    git('switch', '-q', '-c', 'theirs')
    save(6)
    if (how === 'stash') git('stash', '-q')
    else commit('theirs')
    if (how === 'checkout') git('switch', '-q', '-')
    if (how === 'checkout') git('checkout', '-q', 'theirs', '--', SETTINGS)
    if (how === 'reset') git('reset', '-q', '--hard', 'theirs')
    // A stash leaves the index alone, as an editor does: it holds what the person has saved.
    if (how === 'stash') git('stash', 'pop', '-q')
    expect(port()).toBe(how === 'stash' ? 6 : 1)
  })

  it('a new file that git brings waits', () => {
    const { cwd, git, commit, place, home } = anOwnRepository()
    git('rm', '-q', MCP)
    commit('none')
    const other = home.file('other')
    execFileSync('git', ['clone', '-q', cwd.path, other])
    writeFileSync(`${other}/${MCP}`, '{"mcpServers": {"evil": {"command": "evil"}}}')
    execFileSync('git', ['-C', other, 'add', MCP])
    execFileSync('git', [
      '-C',
      other,
      '-c',
      'user.name=e',
      '-c',
      'user.email=e@e',
      'commit',
      '-qm',
      'e',
    ])
    git('pull', '-q', other)
    expect(loadConfig(place).servers.has('evil')).toBe(false)
  })

  it('nothing is decided while git works, and then soon', async () => {
    const { cwd, place, save, port } = anOwnRepository()
    cwd.write('.git/index.lock', '')
    save(2)
    expect(port()).toBe(1)
    const watcher = watchConfig(place, { onReload: () => undefined })
    onTestFinished(() => watcher.close())
    save(3)
    await expect.poll(() => watcher.history.length).toBeGreaterThan(0)
    expect(watcher.current.settings.listen.port).toBe(1)
    rmSync(cwd.file('.git/index.lock'))
    await expect.poll(() => watcher.current.settings.listen.port).toBe(3)
  })

  it('files and folders that others may write, and links, need a look', () => {
    const { cwd, port, save, home } = anOwnRepository()
    save(2)
    chmodSync(cwd.file(SETTINGS), 0o666)
    expect(port()).toBe(1)
    chmodSync(cwd.file(SETTINGS), 0o600)
    chmodSync(cwd.path, 0o777)
    expect(port()).toBe(1)
    chmodSync(cwd.path, 0o700)
    expect(port()).toBe(2)
    renameSync(cwd.file(SETTINGS), home.file(SETTINGS))
    symlinkSync(home.file(SETTINGS), cwd.file(SETTINGS))
    expect(port()).toBe(1)
  })

  it('what was saved is recorded with what is new, and the folder can be taken back', async () => {
    const { cwd, place, save, follow, port } = anOwnRepository()
    save(2)
    const before = await trustedText(place, cwd.file(SETTINGS))
    expect(before).toContain('1')
    expect(await follow()).toEqual([
      { path: cwd.file(SETTINGS), diff: expect.arrayContaining([expect.stringMatching(/^\+.*2/)]) },
    ])
    expect(await follow()).toEqual([])
    const versions = (await VersionStore.open(place)).all()
    expect(versions.map(({ by, reason }) => [by, reason])).toEqual([
      ['editor', 'changed by hand'],
      ['editor', 'saved in a folder that is trusted'],
    ])
    revokeTrust(place, cwd.path)
    expect(port()).not.toBe(2)
  })

  it('other files of the folder, and folders in it, need a look', () => {
    const { cwd, place } = anOwnRepository()
    cwd.write('inner/.mcp.json', { mcpServers: { evil: { command: 'evil' } } })
    const inner = { ...place, cwd: cwd.file('inner') }
    expect(loadConfig(inner).servers.has('evil')).toBe(false)
  })
})
