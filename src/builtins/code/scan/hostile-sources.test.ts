import { expect, it } from 'vitest'
import { runWithin } from '../../../base/flow/run-within.ts'
import { scanFile } from './scan-file.ts'

const SIZE = 400_000
/** The usual time is below half a second. */
const LIMIT_MS = 10_000

/** By file: a line that, repeated, must not be read again from every place where it may begin. */
const LINES: readonly (readonly [path: string, line: string])[] = [
  ['a.py', 'from a import ('],
  ['a.rs', 'use a'],
  ['a.rs', 'pub('],
  ['a.rs', 'use a::{'],
  ['a.php', 'use a'],
  ['a.php', 'use a {'],
  ['a.go', 'import ('],
  ['a.go', '/*'],
  ['a.scala', 'import a.{'],
  ['a.ex', 'alias A.{'],
  ['a.vue', '<script '],
  ['a.vue', '<script>'],
  ['a.vue', '<script></script>'],
  ['.gitlab-ci.yml', ''],
  ['a.md', '[./'.repeat(6_000)],
  ['a.md', '[](./'.repeat(3_800)],
  ['a.md', `[](${'./'.repeat(9_000)}`],
  ['a.cpp', 'template<> '.repeat(36)],
  ['a.ts', 'export * '],
  ['a.h', '#define A 1'],
]

it.each(LINES)('takes time in proportion to its size to scan %s (case %#)', (path, line) => {
  const text = `${line}\n`.repeat(Math.ceil(SIZE / (line.length + 1)))
  const { lines } = runWithin(LIMIT_MS, () => scanFile(path, text))
  expect(lines).toBeGreaterThan(0)
})

it('repeats no more than half of a chunk in the next one', () => {
  const text = 'const a = 1\n'.repeat(20_000)
  const { code } = scanFile('a.ts', text, { size: 50_000, overlap: 1_000_000 })
  expect(code.chunks.length).toBeLessThan(20)
})

const nested = (depth: number) => `${' '.repeat(depth)}class ${'N'.repeat(390 - depth)}:\n`

it('keeps little of the names around a definition that is nested hundreds deep', () => {
  const text = Array.from({ length: 1_500 }, (_, n) => nested(Math.min(n, 300))).join('')
  const { symbols } = scanFile('a.py', text)
  expect(symbols.length).toBeGreaterThan(1_000)
  const scopes = symbols.reduce((sum, { scope }) => sum + scope.length, 0)
  expect(scopes).toBeLessThan(5 * text.length)
})

it('takes time in proportion to the blanks between imported names', () => {
  const text = `from a import (b${'\n'.repeat(SIZE)}c)\n`
  const { imports } = runWithin(LIMIT_MS, () => scanFile('a.py', text))
  expect(imports).toHaveLength(1)
})

it('reads the rest of a Rust file with groups nested too deeply or under a path too long', () => {
  const text = `use ${'{'.repeat(15_000)};\nuse ${'a::'.repeat(1_000)}{${'b,'.repeat(5_000)}};\nmod c;\n`
  const { imports } = runWithin(LIMIT_MS, () => scanFile('a.rs', text))
  expect(imports.map(({ specifier }) => specifier)).toEqual(['c'])
})
