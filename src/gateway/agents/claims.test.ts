import { describe, expect, it } from 'vitest'
import { claimAt, toNames } from './claims.ts'

describe('a claim', () => {
  const claims = {
    groups: ['a'],
    'https://example.com/roles': 'admin',
    realm_access: { roles: ['user'], 'a.b': 1 },
    'x.y': 'by name',
    x: { y: 'by path' },
    text: 'abc',
  }

  it('is found by its name, or by the path to it', () => {
    expect(claimAt(claims, 'groups')).toEqual(['a'])
    expect(claimAt(claims, 'https://example.com/roles')).toBe('admin')
    expect(claimAt(claims, 'realm_access.roles')).toEqual(['user'])
    expect(claimAt(claims, 'x.y')).toBe('by name')
    expect(claimAt({ x: claims.x }, 'x.y')).toBe('by path')
  })

  it.each([
    'constructor',
    'realm_access.constructor',
    '__proto__',
    'text.length',
    'groups.0',
    'no.way',
  ])('is only what the token says: not %s', (path) => {
    expect(claimAt(claims, path)).toBeUndefined()
  })
})

it('has one name or a list of them, and nothing else counts as a name', () => {
  expect(toNames('admin')).toEqual(['admin'])
  expect(toNames(['admin', '', 7, null, 'user', ['x']])).toEqual(['admin', 'user'])
  for (const claim of ['', 7, true, null, undefined, { admin: true }])
    expect(toNames(claim)).toEqual([])
})
