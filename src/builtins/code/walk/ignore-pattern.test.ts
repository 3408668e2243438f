import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runWithin } from '../../../base/flow/run-within.ts'
import { type IgnorePattern, parseIgnorePattern } from './ignore-pattern.ts'
import { PatternTable } from './pattern-table.ts'

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

function matches(pattern: IgnorePattern | undefined, path: string): boolean {
  const table = new PatternTable(pattern ? [pattern] : [], () => undefined)
  return table.last(path, path.slice(path.lastIndexOf('/') + 1), true) !== undefined
}

function ignoredByUs(line: string): Set<string> {
  const pattern = parseIgnorePattern(line)
  const ignored = (path: string): boolean => {
    const cut = path.lastIndexOf('/')
    return matches(pattern, path) || (cut > 0 && ignored(path.slice(0, cut)))
  }
  return new Set(PATHS.filter(ignored))
}

it.each(PATTERNS)('reads %j as git does', (pattern) => {
  expect([...ignoredByUs(pattern)].toSorted()).toEqual([...ignoredByGit(pattern)].toSorted())
})

it('decides by the last line that matches, whichever table it is in', () => {
  const lines = PATTERNS.flatMap((line, at) => [line, `!${PATTERNS.at(at * 7) ?? ''}`, `${line}/`])
  for (let from = 0; from < lines.length; from += 5) {
    const parsed = [...lines.slice(from), ...lines.slice(0, from)]
      .map((line) => parseIgnorePattern(line))
      .filter((pattern) => pattern !== undefined)
    const table = new PatternTable(parsed, () => undefined)
    for (const path of PATHS)
      for (const isFolder of [true, false]) {
        const name = path.slice(path.lastIndexOf('/') + 1)
        const last = parsed.findLast(
          (pattern) =>
            (isFolder || !pattern.foldersOnly) &&
            pattern.matches(pattern.subject === 'path' ? path : name),
        )
        const found = table.last(path, name, isFolder)
        expect([path, found?.negated, found?.text]).toEqual([path, last?.negated, last?.text])
      }
  }
})

it('takes blanks and comments for nothing', () => {
  expect(['', '   ', '# a'].map((line) => parseIgnorePattern(line))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

function lineMatches(line: string, path: string): boolean {
  return runWithin(5000, () => matches(parseIgnorePattern(line), path))
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
