import { expect, it } from 'vitest'
import { aCodeClient, aProject, resultsOf } from '../../../../../test/support/code-project.ts'

const FILES = {
  'a.ts': 'const a = 1\n\n  return a\nexport function f(x) {\n  g("one",\n    "two")\n}\n',
  'bom.cs': '\uFEFFusing System;\r\nclass A { }\r\n',
  'wide.cs': Buffer.from('\uFEFFusing Wide;\nclass B { }\n', 'utf16le'),
  'wider.cs': Buffer.from('\uFEFFusing Wider;\nclass C { }\n', 'utf16le').swap16(),
  'latin1.py': Buffer.from('L\xe4nge = 1\n', 'latin1'),
  'words.py': 'Größe = 1\nnaïve = 2\nTODO = 3  # todo\n',
}

async function linesOf(query: string, mode = 'regex'): Promise<string[]> {
  const client = aCodeClient(aProject(FILES))
  await client.call('index_codebase', { path: '.' })
  const found = await client.list('search_code', { query, mode, limit: 100, max_tokens: null })
  expect(found.filter(({ error }) => error !== undefined)).toEqual([])
  return resultsOf(found).map(
    (each) => `${String(each['file_path'])}:${String(each['start_line'])}`,
  )
}

it.each([
  // A match is part of one line: blanks before it do not reach into the line above.
  ['\\s+return', ['a.ts:3']],
  ['^\\s*export', ['a.ts:4']],
  ['g\\([^)]*\\)', []],
  ['a = 1(?!\\s+return)', ['a.ts:1']],
  ['[^x]+$', ['a.ts:1', 'a.ts:3', 'a.ts:4', 'a.ts:5', 'a.ts:6', 'a.ts:7']],
])('%s finds the lines that grep finds', async (query, expected) => {
  const found = await linesOf(query)
  expect(found.filter((line) => line.startsWith('a.ts'))).toEqual(expected)
})

it('finds what reaches over lines where the pattern says so', async () => {
  expect(await linesOf('"one",\\n\\s+"two"')).toEqual(['a.ts:5'])
  expect(await linesOf('"one",\n    "two"', 'exact')).toEqual(['a.ts:5'])
  expect(await linesOf('f\\(x[\\s\\S]*two')).toEqual(['a.ts:4'])
})

it('finds a text in a file that is not UTF-8', async () => {
  expect(await linesOf('Länge', 'exact')).toEqual(['latin1.py:1'])
})

it('reads a byte order mark and UTF-16 as such', async () => {
  expect(await linesOf('^using')).toEqual(['bom.cs:1', 'wide.cs:1', 'wider.cs:1'])
  expect(await linesOf('^using Wide')).toEqual(['wide.cs:1', 'wider.cs:1'])
  expect(await linesOf('using Wide', 'exact')).toEqual(['wide.cs:1', 'wider.cs:1'])
  expect(await linesOf('^class A \\{ \\}$')).toEqual(['bom.cs:2'])
})

it.each([
  ['(?i)TODO\\b', ['words.py:3']],
  ['(?i)größe', ['words.py:1']],
  ['(?i)GRÖSSE|NAÏVE', ['words.py:2']],
  ['^\\p{Lu}\\p{L}+ =', ['latin1.py:1', 'words.py:1', 'words.py:3']],
  ['^[[:upper:]]{4}[[:space:]]=', ['words.py:3']],
  ['(?P<word>todo)$', ['words.py:3']],
])('understands %s as ripgrep does', async (query, expected) => {
  expect(await linesOf(query)).toEqual(expected)
})
