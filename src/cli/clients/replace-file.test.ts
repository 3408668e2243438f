import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { Journal } from './journal.ts'
import { replaceFile } from '../../base/files/replace-file.ts'
import { textOf } from '../../config/text-of.ts'

it('writes through a link whose file does not exist yet, and undoes that', async () => {
  const folder = tempFolder()
  mkdirSync(folder.file('dotfiles'))
  const link = folder.file('mcp.json')
  symlinkSync('dotfiles/mcp.json', link)
  const journal = new Journal(folder.file('data'), () => undefined)
  journal.edit({ file: link, format: 'json' }, [{ path: ['mcpServers', 'a'], value: {} }])
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(folder.read('dotfiles/mcp.json')).toContain('"a"')
  expect(await journal.undo(link)).toBe('removed')
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readdirSync(folder.file('dotfiles'))).toEqual([])
})

it('does not read a device that a link points to', () => {
  const folder = tempFolder()
  const link = folder.file('mcp.json')
  symlinkSync('/dev/zero', link)
  const journal = new Journal(folder.file('data'), () => undefined)
  expect(() => textOf(link)).toThrow('is not a plain file')
  expect(() => journal.edit({ file: link, format: 'json' }, [])).toThrow('is not a plain file')
})

it('leaves no draft behind when the file cannot be replaced', () => {
  const folder = tempFolder()
  mkdirSync(folder.file('taken/full'), { recursive: true })
  expect(() => replaceFile(folder.file('taken'), 'secret')).toThrow('rename')
  expect(readdirSync(folder.path)).toEqual(['taken'])
})

it('restores a private file that was deleted as a private file', async () => {
  const folder = tempFolder()
  const file = folder.write('secrets.env', 'KEY=1\n')
  const journal = new Journal(folder.file('data'), () => undefined)
  await journal.change(file, () => replaceFile(file, 'KEY=1\nNEW=2\n'))
  rmSync(file)
  expect(await journal.undo(file)).toBe('restored')
  expect(readFileSync(file, 'utf8')).toBe('KEY=1\n')
  expect(statSync(file).mode & 0o077).toBe(0)
})
