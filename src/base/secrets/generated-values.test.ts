import { expect, it } from 'vitest'
import { find, hide } from './secrets.ts'

it.each([
  ['six characters of two kinds', 'a1b2c3'],
  ['capitals and digits', 'A1B2C3'],
  ['small letters, digits and signs', 'a1-b2-c3'],
  ['what begins unlike a name', '1obj.attr'],
])('finds a value that a generator made: %s', (_, value) => {
  expect(find(`password=${value}`)).toEqual(['secret in an assignment'])
})

it.each([
  ['five characters', 'Ab1cD'],
  ['letters alone', 'AbCdEfGh'],
  ['digits alone', '48291537'],
  ['few characters, repeated', 'a1a1a1a1'],
  ['a call', 'fetchPw1()'],
  ['an attribute', 'obj.attr1'],
  ['a sentence', '"x9 Kd82ka"'],
  ['an example', 'changeme1'],
])('finds none in what people write: %s', (_, value) => {
  expect(find(`password=${value}`)).toEqual([])
})

it('finds a password in a URL, and none in a user alone or an example', () => {
  expect(find('https://user:Zq81xx@host.example/')).toEqual(['password in a URL'])
  expect(find('https://:Zq81xx@host.example/')).toEqual(['password in a URL'])
  expect(find('https://user@host.example/')).toEqual([])
  expect(find('https://user:password@host.example/')).toEqual([])
})

it('hides in a text of eight characters, and leaves a shorter one alone', () => {
  expect(hide('pwd=a1b2')).toBe('pwd=[redacted]')
  expect(hide('pwd=a1b')).toBe('pwd=a1b')
})
