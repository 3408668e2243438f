import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { builtinContext, builtinOptionsFrom } from './builtin-context.ts'

it('works in the data folder that portolan.yaml names, with the other settings of that file', () => {
  const folder = tempFolder()
  folder.write('.portolan/portolan.yaml', { home: '~/moved', embedding: { provider: 'none' } })
  const context = builtinContext(builtinOptionsFrom('traces', { HOME: folder.path }))
  expect(context.home).toBe(folder.file('moved'))
  expect(context.embedding().provider).toBe('none')
})

it('understands a data folder that is written with ~, and takes an empty one as unset', () => {
  const folder = tempFolder()
  const homeWith = (home: string) =>
    builtinContext({ env: { HOME: folder.path, PORTOLAN_HOME: home } }).home
  expect(homeWith('~/mine')).toBe(folder.file('mine'))
  expect(homeWith('')).toBe(folder.file('.portolan'))
})
