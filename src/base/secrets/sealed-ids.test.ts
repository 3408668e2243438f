import { expect, it } from 'vitest'
import { createSealedIds } from './sealed-ids.ts'

const open = (fill: number, purpose = 'tests') =>
  createSealedIds({
    prefix: 'x_',
    purpose,
    secret: () => Buffer.alloc(32, fill),
    maxLength: 200,
  })
const ids = open(1)

it('opens what it sealed, wherever the secret is the same', () => {
  expect(open(1).open(ids.seal('köln'))).toBe('köln')
  expect(open(2).open(ids.seal('köln'))).toBeUndefined()
  expect(open(1, 'something else').open(ids.seal('köln'))).toBeUndefined()
})

it('seals a text differently every time, in characters that may stand in a header', () => {
  const [one, two] = [ids.seal('secret'), ids.seal('secret')]
  expect(one).not.toBe(two)
  expect(one).toMatch(/^x_[\w-]+$/)
  expect(Buffer.from(one.slice(2), 'base64url').toString('latin1')).not.toContain('secret')
})

it('opens nothing that was changed by one bit anywhere, or that is spelled in another way', () => {
  const sealed = ids.seal('a')
  const bytes = Buffer.from(sealed.slice(2), 'base64url')
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(ids.open(`x_${changed.toString('base64url')}`)).toBeUndefined()
  }
  for (const other of [`${sealed}=`, `${sealed} `, ` ${sealed}`, sealed.replace('x_', 'x_\n')])
    expect(ids.open(other)).toBeUndefined()
  for (const wrong of ['', 'x_', 'a', `x_${'A'.repeat(10_000)}`, 7, undefined])
    expect(ids.open(wrong)).toBeUndefined()
})
