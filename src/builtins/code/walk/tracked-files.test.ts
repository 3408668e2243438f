import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aFolder, aProject, git } from '../../../../test/support/code-project.ts'
import { readGit } from '../../../base/git/read-git.ts'
import { readTrackedFiles } from '../../../base/git/tracked-files.ts'
import { type Excluded, walk } from './walk.ts'

const PATHS = ['a.ts', 'b/c.ts', 'b/cc/d.ts', `long/${'x'.repeat(150)}/é.ts`, 'z.ts']

function aRepository(version: string, ...format: string[]): string {
  const root = aProject(Object.fromEntries(PATHS.map((path) => [path, path])))
  git(root, 'init', '-q', ...format)
  git(root, '-c', `index.version=${version}`, 'add', '-f', '.')
  execFileSync('git', ['-C', root, 'update-index', '--index-version', version])
  return root
}

/** An index of version 4 with so many paths that all begin with `start`. */
function anAbbreviatedIndex(start: string, count: number): Buffer {
  const header = Buffer.from('DIRC\0\0\0\x04\0\0\0\0', 'latin1')
  header.writeUInt32BE(count, 8)
  const entries = Array.from({ length: count }, (_, n) => {
    const number = String(n).padStart(8, '0')
    // The first byte says how many characters of the path before are dropped.
    const path = n === 0 ? `\0${start}${number}` : `\x08${number}`
    return Buffer.concat([Buffer.alloc(62), Buffer.from(`${path}\0`, 'latin1')])
  })
  return Buffer.concat([header, ...entries])
}

describe('tracked files', () => {
  it.each([
    ['2', 'sha1'],
    ['4', 'sha1'],
    ['2', 'sha256'],
    ['4', 'sha256'],
  ])('are read from an index of version %s in a repository with %s', (version, format) => {
    const root = aRepository(version, `--object-format=${format}`)
    const tracked = readTrackedFiles(join(root, '.git/index'), join(root, '.git'))
    expect(PATHS.filter((path) => tracked.has(path))).toEqual(PATHS)
    expect(tracked.has('b/cc')).toBe(true)
    expect(tracked.has('b/none.ts')).toBe(false)
  })

  it('are walked although an ignore file names them, as git does; the rest is not', () => {
    const root = aRepository('2')
    aProject({ 'b/new.ts': '', 'b/cc/new.ts': '' }, root)
    writeFileSync(join(root, '.gitignore'), 'b/\nz.ts\n')
    const options = {
      gitDir: join(root, '.git'),
      gitRoot: root,
      gitIndex: join(root, '.git/index'),
    }
    const paths = [...walk(root, options, { excluded: () => undefined })].map(({ path }) => path)
    expect(paths).toEqual(PATHS)
  })

  it('say which rule leaves out the files beside them', () => {
    const root = aProject({ 'build/kept.ts': '', 'build/more/kept.ts': '' })
    git(root, 'init', '-q')
    git(root, 'add', '-f', '.')
    aProject({ 'build/new.ts': '', 'build/more/new.ts': '' }, root)
    const options = { gitDir: join(root, '.git'), gitIndex: join(root, '.git/index') }
    const left: Excluded[] = []
    const walked = walk(root, options, { excluded: (entry) => left.push(entry) })
    expect([...walked].map(({ path }) => path)).toEqual(['build/kept.ts', 'build/more/kept.ts'])
    const rule = 'default excludes of build folders'
    expect(left).toContainEqual({ path: 'build/new.ts', reason: 'ignored', rule })
    expect(left).toContainEqual({ path: 'build/more/new.ts', reason: 'ignored', rule })
  })

  it('are read in a worktree of a repository with sha256', () => {
    const root = aRepository('2', '--object-format=sha256')
    git(root, 'commit', '-qm', 'all')
    const worktree = join(aFolder(), 'other')
    git(root, 'worktree', 'add', '-q', '-b', 'other', worktree)
    aProject({ '.gitignore': 'b/\n' }, worktree)
    const place = readGit(worktree)
    const options = {
      gitDir: place?.commonDir,
      gitRoot: worktree,
      gitIndex: join(place?.gitDir ?? '', 'index'),
    }
    const walked = walk(worktree, options, { excluded: () => undefined })
    expect([...walked].map(({ path }) => path)).toEqual(PATHS)
  })

  it('are none where the index is a pipe or has no end', () => {
    const folder = aFolder()
    execFileSync('mkfifo', [join(folder, 'pipe')])
    symlinkSync('/dev/zero', join(folder, 'zero'))
    for (const name of ['pipe', 'zero'])
      expect(readTrackedFiles(join(folder, name), folder).has('a')).toBe(false)
  })

  it('are none where a small index unpacks to more than there can be', () => {
    const file = join(aFolder(), 'index')
    const start = 'a/'.repeat(1_900)
    writeFileSync(file, anAbbreviatedIndex(start, 60_000))
    expect(readTrackedFiles(file, dirname(file)).has('a')).toBe(false)
    writeFileSync(file, anAbbreviatedIndex('a/'.repeat(3_000), 2))
    expect(readTrackedFiles(file, dirname(file)).has('a')).toBe(false)
    writeFileSync(file, anAbbreviatedIndex(start, 60))
    expect(readTrackedFiles(file, dirname(file)).has('a')).toBe(true)
  })

  it('are none where there is no index, or something else in its place', () => {
    const file = join(aFolder(), 'index')
    expect(readTrackedFiles(file, dirname(file)).has('a')).toBe(false)
    writeFileSync(file, 'DIRC and then nothing that makes sense')
    expect(readTrackedFiles(file, dirname(file)).has('a')).toBe(false)
  })
})
