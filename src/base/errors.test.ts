import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { hasCode, messageOf } from './errors.ts'

it('says what was thrown, whatever it is', () => {
  expect([messageOf(new Error('said')), messageOf('thrown'), messageOf(undefined)]).toEqual([
    'said',
    'thrown',
    'undefined',
  ])
})

it('knows the error of a system call by its code, and nothing else by it', () => {
  let thrown: unknown
  try {
    readFileSync('/nowhere/at/all')
  } catch (error) {
    thrown = error
  }
  expect([hasCode(thrown, 'ENOENT'), hasCode(thrown, 'EEXIST')]).toEqual([true, false])
  expect([hasCode(new Error('x'), 'ENOENT'), hasCode({ code: 'ENOENT' }, 'ENOENT')]).toEqual([
    false,
    false,
  ])
  expect(hasCode('ENOENT', 'ENOENT')).toBe(false)
})
