import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { mountsFor } from './mounts.ts'
import type { Mount, SandboxEntry } from './sandbox.ts'

const NOTHING: SandboxEntry = { read: [], write: [], network: 'any', env: [] }

/** A home with a project and secrets, and how a path of it is seen by a program there. */
function aHome() {
  const folder = tempFolder()
  const home = realpathSync(folder.path)
  const files = ['project/.mcp.json', 'project/src/a.txt', 'other/b.txt', 'data/keys', 'data/pkg/x']
  for (const name of [...files, '.ssh/id', '.config/app/key', 'tool/package.json', 'tool/bin.mjs'])
    folder.write(name, '{}')
  mkdirSync(join(home, 'project/.git/hooks'), { recursive: true })
  const mounts = (sandbox: Partial<SandboxEntry> = {}, more: MoreOptions = {}): Mount[] => {
    const { args = [], cwd = 'project', command = '/bin/cat', packageFolder } = more
    return mountsFor({
      program: {
        command,
        args: args.map((arg) => arg.replace('HOME', home)),
        env: {},
        cwd: join(home, cwd),
        inherits: { HOME: home, PATH: '/usr/bin' },
      },
      sandbox: { ...NOTHING, ...sandbox },
      ownFolders: [join(home, 'data')],
      cacheFolder: join(home, 'data/cache'),
      packageFolder: packageFolder === undefined ? undefined : join(home, packageFolder),
    })
  }
  const sees = (path: string, ...of: Parameters<typeof mounts>) =>
    mounts(...of).findLast((mount) => `${join(home, path)}/`.startsWith(`${mount.path}/`))?.how
  return { home, mounts, sees }
}

interface MoreOptions {
  readonly args?: readonly string[]
  readonly cwd?: string
  readonly command?: string
  readonly packageFolder?: string
}

describe('a program in a sandbox', () => {
  it('reads the folder where it works, and nothing else of the home folder', () => {
    const { sees } = aHome()
    expect(sees('project/src/a.txt')).toBe('read')
    expect(sees('other/b.txt')).toBeUndefined()
    expect(sees('.ssh/id')).toBeUndefined()
  })

  it('sees nothing of the home folder where it works there', () => {
    const { sees } = aHome()
    expect(sees('other/b.txt', {}, { cwd: '.' })).toBeUndefined()
  })

  it('reads what its arguments name, and its own package', () => {
    const { sees } = aHome()
    expect(sees('other/b.txt', {}, { args: ['--file=HOME/other/b.txt'] })).toBe('read')
    expect(sees('tool/package.json', {}, { args: ['HOME/tool/bin.mjs'] })).toBe('read')
    expect(sees('other/b.txt', {}, { args: ['HOME'] })).toBeUndefined()
    expect(sees('.ssh/id', {}, { args: ['HOME/.ssh/id'] })).toBeUndefined()
  })

  it('writes what its entry names, relative to where it works', () => {
    const { sees } = aHome()
    expect(sees('project/src/a.txt', { write: ['src'] })).toBe('write')
    expect(sees('other/b.txt', { write: ['~/other'] })).toBe('write')
    expect(sees('project/new/x', { write: ['new'] })).toBe('write')
  })

  it('does not start where a file that it may write does not exist', () => {
    const { mounts } = aHome()
    expect(() => mounts({ write: ['new.json'] })).toThrow(/new\.json, which does not exist/)
  })

  it('a known server writes the folders that its arguments name', () => {
    const { sees } = aHome()
    const args = ['-y', '@modelcontextprotocol/server-filesystem@1', 'HOME/other']
    expect(sees('other/b.txt', {}, { args })).toBe('write')
    expect(sees('other/b.txt', {}, { args: args.toSpliced(2, 1, 'HOME') })).toBeUndefined()
  })

  it('sees secrets only where its entry names them', () => {
    const { sees } = aHome()
    expect(sees('other/b.txt', { read: ['~'] })).toBe('read')
    expect(sees('.ssh/id', { read: ['~'] })).toBe('hide')
    expect(sees('.ssh/id', { read: ['~', '~/.ssh'] })).toBe('read')
    expect(sees('.config/app/key', { write: ['~'], read: ['~/.config/app'] })).toBe('read')
  })

  it('never sees our own folders but its package there', () => {
    const { sees } = aHome()
    expect(sees('data/keys', { read: ['~', '~/data'] })).toBe('hide')
    expect(sees('data/keys', { read: ['~/data'] })).toBeUndefined()
    expect(sees('data/pkg/x', { write: ['~'] }, { packageFolder: 'data/pkg' })).toBe('read')
  })

  it('only reads what other programs believe, in a folder that it may write', () => {
    const { sees } = aHome()
    expect(sees('project/src/a.txt', { write: ['.'] })).toBe('write')
    expect(sees('project/.mcp.json', { write: ['.'] })).toBe('read')
    expect(sees('project/.git/hooks', { write: ['.'] })).toBe('read')
    expect(sees('project/.git/hooks', { write: ['.', '.git/hooks'] })).toBe('write')
  })

  it('does not start by a link that it could have made', () => {
    const { home, mounts } = aHome()
    symlinkSync(join(home, '.ssh'), join(home, 'project/out'))
    expect(() => mounts({ write: ['.', 'out'] })).toThrow(/out is a symbolic link/)
    symlinkSync(join(home, 'other'), join(home, 'elsewhere'))
    expect(mounts({ read: ['~/elsewhere'] })).toContainEqual({
      path: join(home, 'elsewhere'),
      source: join(home, 'other'),
      how: 'read',
    })
  })
})
