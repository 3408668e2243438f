import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runWithin } from '../../../base/flow/run-within.ts'
import { WalkMemory } from './sort-folders.ts'
import { type Excluded, type WalkOptions, walk } from './walk.ts'

function aFolder(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'portolan-walk-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

function walked(
  root: string,
  options: WalkOptions = {},
): { files: string[]; excluded: Excluded[] } {
  const excluded: Excluded[] = []
  const files = [...walk(root, options, { excluded: (entry) => excluded.push(entry) })]
  const byPath = excluded.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  return { files: files.map(({ path }) => path), excluded: byPath }
}

const git = (root: string, ...args: string[]): string =>
  execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' })

/** The superuser may read everything: whoever tests as root steps down for a moment. */
function asNobody<T>(run: () => T): T {
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.(65_534)
  try {
    return run()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

describe('walk', () => {
  it('takes a file without an extension for source where it names its interpreter', () => {
    const root = aFolder({
      'bin/tool': '#!/usr/bin/env ruby\nputs 1\n',
      'bin/data': 'not a script\n',
      'bin/empty': '',
      README: 'Read me.\n',
      'config.h.in': '#undef X\n',
    })
    const memory = new WalkMemory()
    for (let round = 0; round < 2; round++)
      expect(walked(root, { memory })).toEqual({
        files: ['README', 'bin/tool', 'config.h.in'],
        excluded: [
          { path: 'bin/data', reason: 'unsupported' },
          { path: 'bin/empty', reason: 'unsupported' },
        ],
      })
    writeFileSync(join(root, 'bin/data'), '#!/bin/sh\necho now it is\n')
    expect(walked(root, { memory }).files).toContain('bin/data')
  })

  it('reads a .gitignore with a byte order mark as git does', () => {
    const root = aFolder({ '.gitignore': '\uFEFFsecret.ts\n', 'secret.ts': '', 'a.ts': '' })
    git(root, 'init', '-q')
    expect(git(root, 'ls-files', '-o', '--exclude-standard')).toBe('.gitignore\na.ts\n')
    expect(walked(root).files).toEqual(['a.ts'])
  })

  it('asks only the lines of a long ignore file that may match', () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => `name${n}\n/path/${n}.ts\n*.x${n}\n`)
    const files = Array.from({ length: 5_000 }, (_, n) => [`src/file${n}.ts`, ''] as const)
    const ignored = { name19999: '', 'path/1.ts': '', 'a.x7': '' }
    const root = aFolder({ '.gitignore': lines.join(''), ...ignored, ...Object.fromEntries(files) })
    expect(runWithin(4_000, () => walked(root).files)).toHaveLength(5_000)
  })

  it('leaves out folders whose rules take too long to match, and says so', () => {
    const lines = Array.from({ length: 60_000 }, (_, n) => `*a*${n}?*\n`)
    const files = Array.from({ length: 500 }, (_, n) => [`hostile/a${n}.ts`, ''] as const)
    const root = aFolder({ 'hostile/.gitignore': lines.join(''), ...Object.fromEntries(files) })
    writeFileSync(join(root, 'a.ts'), '')
    const { files: found, excluded } = runWithin(60_000, () => walked(root))
    expect(found).toEqual(['a.ts'])
    expect(excluded).toEqual([
      { path: 'hostile/', reason: 'limit', rule: expect.stringContaining('too long to match') },
    ])
  })

  it('leaves out a folder whose ignore file is too large to read', () => {
    const root = aFolder({ 'b/.gitignore': '', 'b/c.ts': '', 'a.ts': '' })
    truncateSync(join(root, 'b/.gitignore'), 2_000_000)
    const { files, excluded } = walked(root)
    expect(files).toEqual(['a.ts'])
    expect(excluded).toMatchObject([{ path: 'b/', rule: expect.stringContaining('larger than') }])
  })

  it('does not wait for an ignore file that is a pipe or a link to one', () => {
    const root = aFolder({ 'a.ts': '', 'b/c.ts': '' })
    execFileSync('mkfifo', [join(root, '.gitignore')])
    symlinkSync(join(root, '.gitignore'), join(root, 'b/.portolanignore'))
    expect(walked(root).files).toEqual(['a.ts', 'b/c.ts'])
  })

  it('keeps exactly what git keeps, with nested files, negation and info/exclude', () => {
    const root = aFolder({
      '.gitignore':
        '*.log.ts\n/out\n!keep.log.ts\ngen/*\n!gen/keep.ts\n# a comment\n\\#odd.ts\ndeep/**/x.ts\n',
      'a.ts': '',
      'a.log.ts': '',
      'keep.log.ts': '',
      'out/a.ts': '',
      'sub/out/a.ts': '',
      'gen/a.ts': '',
      'gen/keep.ts': '',
      '#odd.ts': '',
      'deep/1/2/x.ts': '',
      'deep/1/y.ts': '',
      'sub/.gitignore': 'b.ts\n!a.log.ts\nonly/\n',
      'sub/b.ts': '',
      'sub/a.log.ts': '',
      'sub/only/c.ts': '',
      'sub/nested/.gitignore': '!b.ts\n*.tmp.ts',
      'sub/nested/b.ts': '',
      'sub/nested/c.tmp.ts': '',
      'excluded.ts': '',
      'spaces in name/ä.ts': '',
    })
    git(root, 'init', '-q')
    writeFileSync(join(root, '.git/info/exclude'), 'excluded.ts\n')
    const kept = git(root, '-c', 'core.quotePath=off', 'ls-files', '-o', '--exclude-standard')
      .split('\n')
      .filter((path) => path.endsWith('.ts'))
    expect(walked(root, { gitDir: join(root, '.git') }).files.toSorted()).toEqual(kept.toSorted())
  })

  it('obeys the ignore files above a root that lies inside a repository', () => {
    const root = aFolder({
      '.gitignore': 'packages/a/skip.ts\n',
      'packages/a/skip.ts': '',
      'packages/a/b.ts': '',
    })
    expect(walked(join(root, 'packages/a'), { gitRoot: root }).files).toEqual(['b.ts'])
  })

  it('lets .portolanignore bring back and keep out what git decides', () => {
    const root = aFolder({
      '.gitignore': 'gen.ts\n',
      '.portolanignore': '!gen.ts\nsecret.ts\n',
      'gen.ts': '',
      'secret.ts': '',
    })
    expect(walked(root).files).toEqual(['gen.ts'])
  })

  it('lets a project bring back a folder of the default excludes', () => {
    const root = aFolder({ '.gitignore': '!dist/\n', 'dist/a.js': '', 'build/b.js': '' })
    expect(walked(root).files).toEqual(['dist/a.js'])
  })

  it('says of everything left out why', () => {
    const root = aFolder({
      '.gitignore': 'a.ts\n',
      'a.ts': '',
      'b.bin': '',
      'node_modules/c.js': '',
      'd.ts': 'x',
    })
    truncateSync(join(root, 'd.ts'), 2_000_000)
    expect(walked(root).excluded).toEqual([
      { path: '.gitignore', reason: 'unsupported' },
      { path: 'a.ts', reason: 'ignored', rule: '.gitignore' },
      { path: 'b.bin', reason: 'unsupported' },
      { path: 'd.ts', reason: 'too_large', rule: '2000000 bytes, limit 1000000' },
      { path: 'node_modules/', reason: 'ignored', rule: 'default excludes' },
    ])
  })

  it('reads a sparse file of 1 GB not at all', () => {
    const root = aFolder({ 'big.ts': '' })
    truncateSync(join(root, 'big.ts'), 1_000_000_000)
    expect(walked(root).excluded[0]).toMatchObject({ path: 'big.ts', reason: 'too_large' })
  })

  it('survives loops of links and never leaves the root', () => {
    const outside = aFolder({ 'secret.ts': '' })
    const root = aFolder({ 'a/b.ts': '' })
    symlinkSync(root, join(root, 'a/loop'))
    symlinkSync(join(outside, 'secret.ts'), join(root, 'leak.ts'))
    symlinkSync(join(root, 'a/b.ts'), join(root, 'alias.ts'))
    symlinkSync(join(root, 'self.ts'), join(root, 'self.ts'))
    const { files, excluded } = walked(root)
    expect(files).toEqual(['a/b.ts', 'alias.ts'])
    expect(excluded).toContainEqual({ path: 'leak.ts', reason: 'outside', rule: 'symbolic link' })
    expect(excluded).toContainEqual({ path: 'self.ts', reason: 'unreadable', rule: 'ELOOP' })
  })

  it('reports a folder it may not read and goes on', () => {
    const root = aFolder({ 'a/b.ts': '', 'c.ts': '' })
    chmodSync(root, 0o755)
    chmodSync(join(root, 'a'), 0)
    const { files, excluded } = asNobody(() => walked(root))
    chmodSync(join(root, 'a'), 0o755)
    expect(files).toEqual(['c.ts'])
    expect(excluded).toContainEqual({ path: 'a/', reason: 'unreadable', rule: 'EACCES' })
  })

  it('stops at the limit of files and says so', () => {
    const root = aFolder({ 'a.ts': '', 'b.ts': '', 'c.ts': '' })
    const { files, excluded } = walked(root, { maxFiles: 2 })
    expect(files).toEqual(['a.ts', 'b.ts'])
    expect(excluded).toEqual([{ path: 'c.ts', reason: 'limit', rule: 'more than 2 files' }])
  })

  it('stops at the limit of bytes of all files, which may be links to one', () => {
    const root = aFolder({ 'a.ts': 'const a = 1\n' })
    for (const name of ['b.ts', 'c.ts']) linkSync(join(root, 'a.ts'), join(root, name))
    const { files, excluded } = walked(root, { maxTotalBytes: 30 })
    expect(files).toEqual(['a.ts', 'b.ts'])
    expect(excluded).toMatchObject([{ path: 'c.ts', rule: 'more than 30 bytes of files' }])
  })

  it('honours include and exclude patterns over the ignore files', () => {
    const root = aFolder({ 'a.py': '', 'b.ts': '', 'sub/c.py': '', 'sub/.gitignore': '!c.py' })
    expect(walked(root, { include: ['*.py'], exclude: ['sub/'] }).files).toEqual(['a.py'])
  })
})

/** Folders whose times can be trusted, as after a second's rest. */
function aQuietFolder(files: Record<string, string>): string {
  const root = aFolder(files)
  const past = Date.now() / 1_000 - 60
  for (const path of ['', ...Object.keys(files).map((file) => dirname(file))])
    utimesSync(join(root, path), past, past)
  return root
}

describe('walking again', () => {
  it('answers as the first time, from memory', () => {
    const root = aQuietFolder({ '.gitignore': 'b.ts\n', 'a.ts': '', 'b.ts': '', 'c/d.ts': '' })
    const memory = new WalkMemory()
    const first = walked(root, { memory })
    const sorted = memory.folders.get('c')
    expect(walked(root, { memory })).toEqual(first)
    expect(memory.folders.get('c')).toBe(sorted)
  })

  it.each(['.gitignore', 'c/.gitignore', '.portolanignore'])(
    'reads %s again, which may change without its folder showing it',
    (rules) => {
      const root = aQuietFolder({ [rules]: '', 'a.ts': '', 'c/e/d.ts': '' })
      const memory = new WalkMemory()
      expect(walked(root, { memory }).files).toEqual(['a.ts', 'c/e/d.ts'])
      writeFileSync(join(root, rules), 'd.ts\n')
      expect(walked(root, { memory }).files).toEqual(['a.ts'])
      writeFileSync(join(root, rules), '')
      expect(walked(root, { memory }).files).toEqual(['a.ts', 'c/e/d.ts'])
    },
  )

  it('sees what git tracks since, although it is ignored', () => {
    const root = aQuietFolder({ '.gitignore': 'gen/\n', 'a.ts': '', 'gen/b.ts': '' })
    git(root, 'init', '-q')
    const options = { memory: new WalkMemory(), gitRoot: root, gitIndex: join(root, '.git/index') }
    expect(walked(root, options).files).toEqual(['a.ts'])
    git(root, 'add', '-f', 'gen/b.ts')
    expect(walked(root, options).files).toEqual(['a.ts', 'gen/b.ts'])
  })
})
