import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { ExactNumber, stringifyExact } from '../../../base/json/exact-json.ts'
import { parseYaml } from './parse-yaml.ts'

const PARSER = new URL('./parse-yaml.ts', import.meta.url).href

it('reads values as YAML 1.2 has them, and the last of two equal keys', async () => {
  const content = `
version: 1.0
code: 007
hex: 0x1F
grouped: 1_000
answer: yes
off: off
nothing: ~
date: 2024-01-31
time: 12:30:45
merge: { <<: { a: 1 } }
200: { description: ok }
twice: first
twice: second
text: |
  a
   b
long: >-
  one
  two
`
  expect(await parseYaml(content)).toEqual({
    version: new ExactNumber('1.0'),
    code: 7,
    hex: 31,
    grouped: '1_000',
    answer: 'yes',
    off: 'off',
    nothing: null,
    date: '2024-01-31',
    time: '12:30:45',
    merge: { '<<': { a: 1 } },
    200: { description: 'ok' },
    twice: 'second',
    text: 'a\n b\n',
    long: 'one two',
  })
})

it('keeps a key that JavaScript gives a meaning of its own', async () => {
  const parsed = await parseYaml('schemas:\n  __proto__: { type: object }\n  constructor: 1\n')
  expect(JSON.stringify(parsed)).toBe('{"schemas":{"__proto__":{"type":"object"},"constructor":1}}')
})

it.each(['', 'same: &one 1\nother: *one\n'])(
  'keeps the digits of numbers, whichever parser reads them',
  async (more) => {
    const content = `${more}a: [1234567890123456789, -0.12345678901234567890, 1.10, 1e400, 1.5, -2, +3]\nb: 007`
    const { a, b }: { a?: unknown; b?: unknown } = Object(await parseYaml(content))
    expect(stringifyExact(a)).toBe(
      '[1234567890123456789,-0.12345678901234567890,1.10,1e400,1.5,-2,3]',
    )
    expect(b).toBe(7)
  },
)

it('follows aliases, and refuses those that would expand without end', async () => {
  expect(await parseYaml('a: &a { type: string }\nb: *a\nc: *a\n')).toEqual({
    a: { type: 'string' },
    b: { type: 'string' },
    c: { type: 'string' },
  })
  const levels = Array.from({ length: 9 }, (_, n) => {
    const below = n === 0 ? 'x' : `*l${n - 1}`
    return `l${n}: &l${n} [${Array.from({ length: 10 }, () => below).join(', ')}]`
  })
  await expect(parseYaml(`${levels.join('\n')}\n`)).rejects.toThrow(/alias/i)
})

it('says where a file is broken', async () => {
  await expect(parseYaml('a: [1, 2\nb: }\n')).rejects.toThrow(/line 2/)
})

it('reads thirty thousand operations within a heap of 250 MB', async () => {
  const folder = tempFolder()
  folder.write(
    'read.mjs',
    `import { parseYaml } from '${PARSER}'
     const one = (n) => '  /things/' + n + ':\\n    get:\\n      operationId: things.' + n +
       '\\n      tags: [a, b]\\n      responses:\\n        "200": { description: ok }\\n'
     const text = 'openapi: 3.0.0\\npaths:\\n' + Array.from({ length: 30000 }, (_, n) => one(n)).join('')
     const parsed = await parseYaml(text)
     console.log(Object.keys(parsed.paths).length)`,
  )
  const args = ['--max-old-space-size=250', '--import', import.meta.resolve('tsx')]
  const { stdout } = await promisify(execFile)(process.execPath, [...args, folder.file('read.mjs')])
  expect(stdout).toBe('30000\n')
}, 120_000)
