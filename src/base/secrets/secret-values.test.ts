import { describe, expect, it } from 'vitest'
import { isLoopback } from '../net/net.ts'
import { SecretValues } from './secret-values.ts'

const knowing = (...values: string[]) => {
  const secrets = new SecretValues()
  secrets.learn(values)
  return secrets
}

describe('a value that is known to be secret', () => {
  it('is hidden wherever it stands, and another one is not', () => {
    const secrets = knowing('correct-horse-7')
    expect(secrets.hideValues('a correct-horse-7, b correct-horse-7')).toBe(
      'a [redacted], b [redacted]',
    )
    expect(secrets.hideValues('a correct-horse-8')).toBe('a correct-horse-8')
    expect(new SecretValues().hideValues('a correct-horse-7')).toBe('a correct-horse-7')
  })

  it('is hidden as a whole where a shorter one is part of it', () => {
    const text = 'x battery-staple-77 y battery-staple z'
    for (const values of [
      ['battery-staple', 'battery-staple-77'],
      ['battery-staple-77', 'battery-staple'],
    ])
      expect(knowing(...values).hideValues(text)).toBe('x [redacted] y [redacted] z')
  })

  it('is hidden as JSON writes it, inside JSON and inside a text', () => {
    const secret = 'pass"word\\1\n2'
    const written = JSON.stringify({ secret })
    const secrets = knowing(secret)
    expect(JSON.parse(secrets.hideJson(written))).toEqual({ secret: '[redacted]' })
    expect(secrets.hideValues(`failed: ${written}`)).toBe('failed: {"secret":"[redacted]"}')
  })

  it('is hidden as base64 writes it, alone or after other text', () => {
    const secret = 'correct-horse-7?>'
    const secrets = knowing(secret)
    for (const before of ['', 'u', 'us', 'user:', 'Basic x:'])
      for (const form of ['base64', 'base64url'] as const) {
        const clean = secrets.hideValues(
          `sent ${Buffer.from(before + secret).toString(form)} there`,
        )
        expect(clean).toMatch(/^sent .{0,12}\[redacted\].{0,4} there$/)
      }
    const other = Buffer.from('correct-zebra-8').toString('base64')
    expect(secrets.hideValues(other)).toBe(other)
  })

  it('is hidden in values of any depth, and keys stay', () => {
    const secrets = knowing('correct-horse-7')
    const value = { list: ['correct-horse-7', 7, null, { deep: 'x correct-horse-7' }], on: true }
    expect(secrets.hideDeep(value)).toEqual({
      list: ['[redacted]', 7, null, { deep: 'x [redacted]' }],
      on: true,
    })
    expect(secrets.hideDeep(undefined)).toBeUndefined()
  })

  it('is learnt beside those known before', () => {
    const secrets = knowing('correct-horse-7')
    secrets.learn([])
    secrets.learn(['battery-staple-8', 'correct-horse-7'])
    expect(secrets.hideValues('correct-horse-7 battery-staple-8')).toBe('[redacted] [redacted]')
  })

  it('makes way for newer ones past some thousands', () => {
    const secrets = new SecretValues()
    secrets.learn(['the-very-first-1'])
    secrets.learn(Array.from({ length: 20_000 }, (_, n) => `secret-number-${n}`))
    expect(secrets.hideValues('the-very-first-1 secret-number-19999')).toBe(
      'the-very-first-1 [redacted]',
    )
  })
})

it.each([
  ['an address of a page', 'https://example.com/path'],
  ['a path', '/usr/local/bin'],
  ['a path of the home', '~/projects'],
  ['a path of Windows', 'c:\\users'],
  ['a host and port', 'localhost:8080'],
  ['a number', '1234567'],
  ['a short word', 'ab1'],
  ['a common word', 'production'],
])('%s is no secret, whoever calls it one', (_, value) => {
  expect(knowing(value).hideValues(`x ${value} y`)).toBe(`x ${value} y`)
})

it.each([
  ['an address with a password', 'https://me:pw@example.com'],
  ['a long number', '12345678901'],
  ['a rare word', 'xqzvwkjhgfdplm'],
])('%s is one', (_, value) => {
  expect(knowing(value).hideValues(`x ${value} y`)).toBe('x [redacted] y')
})

it('knows the addresses of this machine, and no name that only looks like one', () => {
  const own = ['localhost', '::1', '[::1]', '127.0.0.1', '127.9.9.9']
  const others = ['127.evil.example', '10.127.0.1', '::2', 'localhost.evil', '', '0.0.0.0']
  expect(own.map(isLoopback)).toEqual(own.map(() => true))
  expect(others.map(isLoopback)).toEqual(others.map(() => false))
})
