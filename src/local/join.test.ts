import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { askGateway } from './connect.ts'
import { isNewer } from './newer.ts'
import { plainStart } from './plain-start.ts'
import { differingVariables, fingerprints } from './process-variables.ts'
import { openRunFolder, runFolderOf } from './run-folder.ts'

it.each([
  ['0.3.0', '0.2.9', true],
  ['0.10.0', '0.9.0', true],
  ['0.3.0', '0.3.0-beta.1', true],
  ['0.3.0-beta.10', '0.3.0-beta.9', true],
  ['0.3.0', '0.3.0', false],
  ['0.3.0-beta.1', '0.3.0', false],
])('knows whether %s is newer than %s: %s', (version, other, expected) => {
  expect(isNewer(version, other)).toBe(expected)
})

it('compares variables of the whole process without sending them, and no others', () => {
  const ours = fingerprints({ PORTOLAN_CACHE_MAX: '1', PORTOLAN_KEY: 'a', TERM: 'x' }, 'token')
  expect(JSON.stringify(ours)).not.toContain('"1"')
  const others = { PORTOLAN_CACHE_MAX: '2', PORTOLAN_KEY: 'b', HTTPS_PROXY: 'http://p' }
  expect(differingVariables(ours, fingerprints(others, 'token'))).toEqual([
    'HTTPS_PROXY',
    'PORTOLAN_CACHE_MAX',
  ])
  expect(differingVariables(ours, fingerprints({ PORTOLAN_CACHE_MAX: '1' }, 'token'))).toEqual([])
})

it('joins at once only where no word, variable or file could decide otherwise', () => {
  const folder = tempFolder()
  const env = { HOME: folder.path }
  const plain = (words: string[], more = {}) => plainStart(words, { ...env, ...more }, folder.path)
  expect(plain([])).toMatchObject({ home: folder.file('.portolan'), surface: undefined })
  expect(plain(['--surface', 'direct'])).toMatchObject({ surface: 'direct' })
  expect(plain(['--surface=direct'])).toMatchObject({ surface: 'direct' })
  expect(plain(['--toolset', 'web', '--surface=direct'])).toMatchObject({
    surface: 'direct',
    toolset: 'web',
  })
  for (const words of [['serve'], ['--alone'], ['--surface'], ['--surface', 'a', 'b'], ['--help']])
    expect({ words, plain: plain(words) }).toEqual({ words, plain: undefined })
  expect(plain([], { PORTOLAN_ALONE: '1' })).toBeUndefined()
  expect(plain([], { MCP_TRANSPORT: 'http' })).toBeUndefined()
  folder.write('portolan.yaml', 'surface: direct')
  expect(plain([])).toBeDefined()
  folder.write('.portolan/portolan.yaml', 'shared: { enabled: false }')
  expect(plain([])).toBeUndefined()
})

it('has its socket elsewhere where the path would be too long for one', () => {
  const folder = tempFolder()
  const long = join(folder.path, 'x'.repeat(100))
  const runtime = { XDG_RUNTIME_DIR: folder.path }
  expect(runFolderOf(folder.path, runtime)).toBe(folder.file('run'))
  const path = runFolderOf(long, runtime)
  expect(path.startsWith(`${folder.path}/portolan-`)).toBe(true)
  expect(runFolderOf(`${long}y`, runtime)).not.toBe(path)
  const { socket, token } = openRunFolder(long, runtime)
  expect(Buffer.byteLength(socket)).toBeLessThan(104)
  expect(openRunFolder(long, runtime).token).toBe(token)
})

it('finds no gateway where none listens, and says so of one that does not answer', async () => {
  const folder = tempFolder()
  mkdirSync(folder.file('run'), { mode: 0o700 })
  const run = openRunFolder(folder.path, { XDG_RUNTIME_DIR: folder.path })
  expect(await askGateway(run, 'ping')).toBeUndefined()
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => void silent.listen(run.socket, resolve))
  onTestFinished(() => void silent.close())
  await expect(askGateway(run, 'ping')).rejects.toThrow('does not answer')
})
