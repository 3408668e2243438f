import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runWithin } from '../../../base/flow/run-within.ts'
import { parseIgnorePattern } from './ignore-pattern.ts'

const PATTERNS =
  'a /a a/b *.ts *.t? a* **/a a/** a/**/b ** * /* a/* [ab].ts [!ab].ts [^a] [a-c]* x[[:digit:]] \\#a \\!a ? a.ts **/b/*.ts b/**/*.ts a**b .* *. (a) a+b a{b} [a []a] a$'
    .split(' ')
    .concat('a\\ ', 'a b')
const PATHS =
  'a b a.ts b.ts c.ts a/b a/b.ts b/a b/a.ts a/x/b a/x/y/b b/x/y.ts x/b/q.ts x1 xd #a !a ab axb .env q. (a) a+b a{b} [a ] a$ abc d/e/a'
    .split(' ')
    .concat('a ', 'a b')

/** What git itself says of the last component, its folders being open. */
function ignoredByGit(pattern: string): Set<string> {
  const root = mkdtempSync(join(tmpdir(), 'portolan-ignore-'))
  execFileSync('git', ['init', '-q', root])
  writeFileSync(join(root, '.gitignore'), `${pattern}\n`)
  const input = PATHS.join('\0')
  const { stdout } = spawnSync('git', ['-C', root, 'check-ignore', '--no-index', '-z', '--stdin'], {
    input,
    encoding: 'utf8',
  })
  return new Set(stdout.split('\0').filter((path) => path !== ''))
}

function ignoredByUs(line: string): Set<string> {
  const pattern = parseIgnorePattern(line)
  const ignored = (path: string): boolean => {
    const cut = path.lastIndexOf('/')
    return (
      (pattern?.matches(path, path.slice(cut + 1)) ?? false) ||
      (cut > 0 && ignored(path.slice(0, cut)))
    )
  }
  return new Set(PATHS.filter(ignored))
}

it.each(PATTERNS)('reads %j as git does', (pattern) => {
  expect([...ignoredByUs(pattern)].toSorted()).toEqual([...ignoredByGit(pattern)].toSorted())
})

it('takes blanks and comments for nothing', () => {
  expect(['', '   ', '# a'].map(parseIgnorePattern)).toEqual([undefined, undefined, undefined])
})

function lineMatches(line: string, path: string): boolean {
  return runWithin(5000, () => parseIgnorePattern(line)?.matches(path, path) === true)
}

it('answers for lines that a hostile repository writes', () => {
  const name = 'a'.repeat(200)
  const deep = `${'a/'.repeat(100)}x`
  expect(lineMatches(`${'*a'.repeat(24)}*b`, `${name}c`)).toBe(false)
  expect(lineMatches(`${'*a'.repeat(24)}*b`, `${name}b`)).toBe(true)
  expect(lineMatches(`${'**/a/'.repeat(12)}b`, deep)).toBe(false)
  expect(lineMatches(`${'**/a/'.repeat(12)}x`, deep)).toBe(true)
  expect(lineMatches(`a${' '.repeat(300_000)}b`, 'a')).toBe(false)
})

it('keeps a blank after a backslash, and drops the others', () => {
  expect(lineMatches('a\\   ', 'a ')).toBe(true)
  expect(lineMatches('a\\   ', 'a')).toBe(false)
  expect(lineMatches('a  \t', 'a')).toBe(true)
})
