import { parse } from 'node:url'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { compileHost } from './host.ts'

const HOSTS = ['api.example.com', '*.good.org', '[2001:db8::1]', '192.0.2.7', 'local.test:8443']
const judge = compileHost(HOSTS)

it.each([
  ['https://api.example.com', 'yes'],
  ['HTTPS://API.example.COM/x?y=@z#@w', 'yes'],
  ['https://a.b.good.org/', 'yes'],
  ['https://[2001:db8::1]/x', 'yes'],
  ['http://192.0.2.7:80/', 'yes'],
  ['https://local.test:8443/', 'yes'],
  ['wss://api.example.com/', 'yes'],
  ['https://good.org/', 'no'],
  ['https://api.example.com.evil.net/', 'no'],
  ['https://evil.net/api.example.com', 'no'],
  ['https://notgood.org/', 'no'],
  ['https://api.example.com:8443/', 'unsure'],
  ['https://local.test/', 'unsure'],
  ['https://evil.net:99/', 'unsure'],
  ['https://api.example.com@evil.net/', 'unsure'],
  ['https://user:pw@api.example.com/', 'unsure'],
  ['https://api.example.com./', 'unsure'],
  ['https://api.example.com\\@evil.net/', 'unsure'],
  ['https://evil.net#@api.example.com/', 'unsure'],
  ['https://api%2eexample.com/', 'unsure'],
  ['https:///api.example.com/', 'unsure'],
  ['https:api.example.com', 'unsure'],
  ['//api.example.com/', 'unsure'],
  [' https://api.example.com/', 'unsure'],
  ['https://api.exam\tple.com/', 'unsure'],
  ['https://ａpi.example.com/', 'unsure'],
  ['http://3221225991/', 'unsure'],
  ['http://0xc0.0.2.7/', 'unsure'],
  ['http://192.0.2.007/', 'unsure'],
  ['http://[::ffff:192.0.2.7]/', 'unsure'],
  ['http://[2001:DB8:0::1]/', 'unsure'],
  ['ftp://api.example.com/', 'unsure'],
  ['api.example.com', 'unsure'],
  ['file:///etc/passwd', 'unsure'],
])('the host of %j is one of them: %s', (url, answer) => {
  expect(judge(url)).toBe(answer)
})

const part = fc.constantFrom(
  'api.example.com',
  'evil.net',
  'x.good.org',
  'good.org',
  '[2001:db8::1]',
  '[::ffff:c000:207]',
  '192.0.2.7',
  '0300.0.2.7',
  '3221225991',
  '0xc0000207',
  'local.test',
  '127.1',
  'xn--e1afmkfd',
  '@',
  ':',
  '/',
  '//',
  '\\',
  '#',
  '?',
  '%2e',
  '%40',
  '。',
  '.',
  ' ',
  '\t',
  '\u00AD',
  'ſ',
  '８',
  ':443',
  ':80',
  ':8443',
  ':0',
  ':99999',
  'user:pw@',
  '..',
  '-',
  '_',
  'K',
)
const anyUrl = fc
  .tuple(
    fc.constantFrom(
      'https://',
      'http://',
      'HTTP://',
      'https:',
      'wss://',
      '//',
      '',
      'ftp://',
      ' https://',
    ),
    fc.array(part, { minLength: 1, maxLength: 5 }),
  )
  .map(([start, parts]) => start + parts.join(''))

const DEFAULTS: Readonly<Record<string, string>> = {
  'http:': '80',
  'https:': '443',
  'wss:': '443',
  'ws:': '80',
}

function isListed(hostname: string, port: string): boolean {
  return HOSTS.some((entry) => {
    const [, host = '', own = ''] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? []
    if (own !== port) return false
    return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host
  })
}

/** By the URL standard, and by node's older parser, which reads much in another way. */
function listedBy(text: string): boolean[] {
  const standard = new URL(text)
  // oxlint-disable-next-line typescript/no-deprecated -- An independent parser, as old servers have.
  const older = parse(text)
  const port = older.port === DEFAULTS[older.protocol ?? ''] ? '' : (older.port ?? '')
  const name = older.hostname ?? ''
  return [
    isListed(standard.hostname, standard.port),
    isListed(name.includes(':') ? `[${name}]` : name, port),
  ]
}

it('is never fooled: a sure answer is that of two parsers of URLs', () => {
  let sure = 0
  fc.assert(
    fc.property(anyUrl, (text) => {
      const answer = judge(text)
      if (answer === 'unsure') return
      sure++
      const isYes = answer === 'yes'
      expect(listedBy(text)).toEqual([isYes, isYes])
    }),
    { numRuns: 20_000 },
  )
  expect(sure).toBeGreaterThan(100)
})
