import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { createSecret, linkSecret, mustBeLong, readSecret, secretOf } from './secret-file.ts'

const aPath = () => tempFolder().file('own/handle-secret')

it('makes a secret of 32 bytes where there is none, and gives the same one afterwards', () => {
  const path = aPath()
  expect(readSecret(path)).toBeUndefined()
  const made = secretOf(path)
  expect(made).toHaveLength(32)
  expect([secretOf(path), readSecret(path), createSecret(path)]).toEqual([made, made, made])
  expect(secretOf(aPath())).not.toEqual(made)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  expect(readdirSync(dirname(path)), 'no draft is left').toEqual(['handle-secret'])
})

it('takes the first of two texts', () => {
  const path = aPath()
  expect([linkSecret(path, 'first'), linkSecret(path, 'second')]).toEqual(['first', 'first'])
  expect(readFileSync(path, 'utf8')).toBe('first')
  expect(readdirSync(dirname(path))).toEqual(['handle-secret'])
})

it('does not take another failure for a secret that is there or is not', () => {
  const path = aPath()
  mkdirSync(path, { recursive: true })
  expect(() => readSecret(path)).toThrow('EISDIR')
  expect(() => secretOf(path)).toThrow('EISDIR')
  writeFileSync(`${path}/a-file`, '')
  expect(() => linkSecret(`${path}/a-file/secret`, 'text')).toThrow(/ENOTDIR|EEXIST/)
})

const refusal = (place: string) =>
  expect.objectContaining({
    code: 'INVALID_PARAMS',
    message: expect.stringContaining(`${place} holds 31 bytes instead of 32`),
    details: expect.objectContaining({ hint: expect.stringContaining('Restore it') }),
  })

it('refuses a secret that is shorter, wherever it comes from, and says what to do', () => {
  const path = aPath()
  linkSecret(path, Buffer.alloc(31).toString('base64url'))
  expect(() => readSecret(path)).toThrow(refusal(path))
  expect(() => secretOf(path)).toThrow(refusal(path))
  expect(() => createSecret(path)).toThrow(refusal(path))
  expect(() => secretOf(Buffer.alloc(31))).toThrow(refusal('the database'))
  const long = Buffer.alloc(32)
  expect([secretOf(long), mustBeLong(long, 'x')]).toEqual([long, long])
})
