import path from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { compileWithin } from './within.ts'

const judge = compileWithin(['/srv/data', '/tmp/'])

it.each([
  ['/srv/data', 'yes'],
  ['/srv/data/a b/c.txt', 'yes'],
  ['/srv/data/', 'yes'],
  ['/tmp/x', 'yes'],
  ['/srv/data/.hidden', 'yes'],
  ['/srv/database', 'no'],
  ['/etc/passwd', 'no'],
  ['/', 'no'],
  ['/srv/data/../x', 'unsure'],
  ['/srv/data/./x', 'unsure'],
  ['/srv//data/x', 'unsure'],
  ['//srv/data/x', 'unsure'],
  ['data/x', 'unsure'],
  ['', 'unsure'],
  ['~/x', 'unsure'],
  ['/srv/data/~root', 'unsure'],
  ['/srv/data/%2e%2e/x', 'unsure'],
  ['/srv/data\\..\\x', 'unsure'],
  ['/srv/data/\u0000', 'unsure'],
  ['/srv/data/a\u200B', 'unsure'],
  ['/SRV/data/x', 'unsure'],
  ['/srv/data／..／x', 'unsure'],
  ['file:///srv/data/x', 'unsure'],
])('%j is within: %s', (given, answer) => {
  expect(judge(given)).toBe(answer)
})

const piece = fc.oneof(
  fc.constantFrom('srv', 'data', 'SRV', 'Data', 'dat', 'etc', 'tmp', '', '.', '..', '...', '~'),
  fc.constantFrom(
    '%2e%2e',
    '%2f',
    '․․',
    '..／etc',
    '．．',
    'da\u0000ta',
    'data\u200D',
    'ſrv',
    'dáta',
  ),
  fc.constantFrom('..\\..', ' ', 'data ', 'data.', 'İ', '\u202E', 'ﬁ'),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
)
const anyPath = fc
  .tuple(
    fc.constantFrom('/', '', '//', '/srv/data/', '/srv/', 'C:\\', '~'),
    fc.array(piece, { maxLength: 5 }),
  )
  .map(([start, pieces]) => start + pieces.join('/'))

/** The paths that programs may take a text for. */
function readingsOf(text: string): string[] {
  const decoded = [text]
  try {
    decoded.push(decodeURIComponent(text))
  } catch {
    // Not encoded.
  }
  const forms = decoded.flatMap((one) => [
    one,
    one.normalize('NFKC'),
    one.normalize('NFC').toLowerCase(),
    one.normalize('NFKC').toLowerCase(),
  ])
  return forms.flatMap((one) => [
    one,
    one.replaceAll('\\', '/'),
    one.replaceAll(/[\p{Cc}\p{Cf}]/gu, ''),
    one.split('\u0000')[0] ?? '',
    one.replaceAll(/[. ]+(?=\/|$)/g, ''),
    one.replace(/^~/, '/srv/data'),
  ])
}

/** By node's own `path`, from wherever the server may have been started. */
function isInside(text: string): boolean[] {
  return ['/', '/srv/data', '/etc'].flatMap((cwd) =>
    readingsOf(text).map((reading) => {
      const absolute = path.posix.resolve(cwd, reading)
      return ['/srv/data', '/tmp'].some((folder) => {
        const way = path.posix.relative(folder, absolute)
        return way === '' || !(way === '..' || way.startsWith('../'))
      })
    }),
  )
}

it('is never fooled: a sure answer holds in every reading, by node’s path', () => {
  let sure = 0
  fc.assert(
    fc.property(anyPath, (text) => {
      const answer = judge(text)
      if (answer === 'unsure') return
      sure++
      expect(new Set(isInside(text))).toEqual(new Set([answer === 'yes']))
    }),
    { numRuns: 5_000 },
  )
  expect(sure).toBeGreaterThan(100)
})
