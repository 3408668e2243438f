import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { isInside, resolveLinks } from './paths.ts'

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

it('resolves the links of a path, also where its end does not exist', () => {
  const folder = realpathSync(tempFolder().path)
  mkdirSync(join(folder, 'real/deep'), { recursive: true })
  symlinkSync(join(folder, 'real'), join(folder, 'link'))
  for (const end of ['', 'deep', 'none', 'none/of/it'])
    expect(resolveLinks(join(folder, 'link', end))).toBe(join(folder, 'real', end))
  expect(resolveLinks('/')).toBe('/')
})
