import { expect, it } from 'vitest'
import { isInside } from './paths.ts'

it.each([
  ['/a/b', '/a/b', true],
  ['/a/b/c', '/a/b', true],
  ['/a/b/..c', '/a/b', true],
  ['/a', '/', true],
  ['/a', '/a/b', false],
  ['/a/bc', '/a/b', false],
  ['/x', '/a/b', false],
])('whether %s lies below %s: %s', (path, folder, inside) => {
  expect(isInside(path, folder)).toBe(inside)
})
