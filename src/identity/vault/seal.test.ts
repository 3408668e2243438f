import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSeal, sealFromEnvironment } from './seal.ts'

const hint = 'Bring the key back.'
const sealOf = (...keys: (string | undefined)[]) => createSeal({ keys, hint })
const TEXT = 'a secret with ünïcode'

/** As it was before names were part of it. */
function sealedBefore(text: string, key: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(key).digest(), nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `sealed1:${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')}`
}

describe('a sealed text', () => {
  it('is another one each time, and opens under its own name only', () => {
    const seal = sealOf('one')
    const [first, second] = [seal.close(TEXT, 'a'), seal.close(TEXT, 'a')]
    expect(first).not.toBe(second)
    for (const sealed of [first, second]) {
      expect(sealed).toMatch(/^sealed2:[\w+/=]+$/)
      expect(seal.open(sealed, 'a')).toBe(TEXT)
      expect(() => seal.open(sealed, 'b')).toThrow('cannot be read: the key is another one')
    }
  })

  it('does not open when one bit of it has changed', () => {
    const seal = sealOf('one')
    const bytes = Buffer.from(seal.close(TEXT, 'a').slice('sealed2:'.length), 'base64')
    for (const at of [0, 11, 12, 27, 28, bytes.length - 1]) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => seal.open(`sealed2:${changed.toString('base64')}`, 'a')).toThrow('another one')
    }
    expect(() => seal.open('sealed2:', 'a')).toThrow('another one')
    expect(seal.open(`sealed2:${bytes.toString('base64')}`, 'a')).toBe(TEXT)
  })

  it('says what to do where its key is missing', () => {
    const sealed = sealOf('one').close(TEXT, 'a')
    expect(() => sealOf().open(sealed, 'a')).toThrow(
      expect.objectContaining({
        code: 'SERVER_UNAVAILABLE',
        message: 'A stored secret cannot be read: there is no key for it',
        details: expect.objectContaining({ hint }),
      }),
    )
    expect(() => sealOf('two').open(sealed, 'a')).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ hint }) }),
    )
  })
})

describe('keys', () => {
  it('seal with the first and open with any; what is under an earlier one is stale', () => {
    const before = sealOf('one').close(TEXT, 'a')
    const seal = sealOf('two', 'one')
    expect([seal.open(before, 'a'), seal.isStale(before, 'a')]).toEqual([TEXT, true])
    const now = seal.close(TEXT, 'a')
    expect(seal.isStale(now, 'a')).toBe(false)
    expect(sealOf('two').open(now, 'a')).toBe(TEXT)
    expect(() => sealOf('one').open(now, 'a')).toThrow('another one')
  })

  it('that are empty or absent do not count', () => {
    const seal = sealOf(undefined, '', 'one')
    expect(sealOf('one').open(seal.close(TEXT, 'a'), 'a')).toBe(TEXT)
    const none = sealOf(undefined, '')
    expect([none.close(TEXT, 'a'), none.open(TEXT, 'a'), none.isStale(TEXT, 'a')]).toEqual([
      TEXT,
      TEXT,
      false,
    ])
  })

  it('open what was sealed before names were part of it, and call it stale', () => {
    const before = sealedBefore(TEXT, 'one')
    for (const seal of [sealOf('one'), sealOf('two', 'one')])
      expect([seal.open(before, 'any'), seal.isStale(before, 'any')]).toEqual([TEXT, true])
    expect(() => sealOf('two').open(before, 'any')).toThrow('another one')
  })

  it('call a text stale that is not sealed at all', () => {
    expect([sealOf('one').open(TEXT, 'a'), sealOf('one').isStale(TEXT, 'a')]).toEqual([TEXT, true])
  })
})

it('takes its keys from the environment, the newer one first', () => {
  const [one, two] = [{ PORTOLAN_SECRET_KEY: 'one' }, { PORTOLAN_SECRET_KEY: 'two' }]
  const sealed = sealFromEnvironment(one).close(TEXT, 'a')
  const both = sealFromEnvironment({ ...two, PORTOLAN_SECRET_KEY_PREVIOUS: 'one' })
  expect([both.open(sealed, 'a'), both.isStale(sealed, 'a')]).toEqual([TEXT, true])
  expect(() => sealFromEnvironment(two).open(sealed, 'a')).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({ hint: expect.stringContaining('PORTOLAN_SECRET_KEY') }),
    }),
  )
  expect(sealFromEnvironment({}).close(TEXT, 'a')).toBe(TEXT)
})
