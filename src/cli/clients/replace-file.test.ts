import { createHash } from 'node:crypto'
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
import { type TempFolder, tempFolder } from '../../../test/support/temp-folder.ts'
import { Journal } from './journal.ts'
import { replaceFile } from '../../base/files/replace-file.ts'
import { textOf } from '../../config/text-of.ts'

const aJournal = (folder: TempFolder) =>
  new Journal(
    { cwd: folder.path, env: { PORTOLAN_KEYRING: 'off' }, home: folder.file('data') },
    () => undefined,
  )

it('writes through a link whose file does not exist yet, and undoes that', async () => {
  const folder = tempFolder()
  mkdirSync(folder.file('dotfiles'))
  const link = folder.file('mcp.json')
  symlinkSync('dotfiles/mcp.json', link)
  const journal = aJournal(folder)
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
  const journal = aJournal(folder)
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
  const journal = aJournal(folder)
  await journal.change(file, () => replaceFile(file, 'KEY=1\nNEW=2\n'))
  rmSync(file)
  expect(await journal.undo(file)).toBe('restored')
  expect(readFileSync(file, 'utf8')).toBe('KEY=1\n')
  expect(statSync(file).mode & 0o077).toBe(0)
})

it('keeps nothing of a file that can be read without the key', async () => {
  const folder = tempFolder()
  const file = folder.write(
    'client.json',
    '{"mcpServers":{"a":{"env":{"KEY":"hunter22hunter22"}}}}',
  )
  const journal = aJournal(folder)
  const path = ['mcpServers', 'a']
  journal.edit({ file, format: 'json' }, [{ path, value: undefined }])
  const kept = readdirSync(folder.file('data/connections'))
  expect(kept).toHaveLength(2)
  for (const name of kept) expect(folder.read(`data/connections/${name}`)).toMatch(/^sealed2:/)
  expect(journal.original(file)?.toString()).toContain('hunter22')
  expect(await journal.undo(file)).toBe('restored')
  expect(folder.read('client.json')).toContain('hunter22')
})

it('undoes what an earlier version has recorded without sealing it', async () => {
  const folder = tempFolder()
  const file = folder.write('client.json', '{"new":1}')
  const journal = aJournal(folder)
  const id = createHash('sha256').update(file).digest('hex').slice(0, 16)
  const backup = folder.write(`data/connections/${id}.before`, '{"old":1}')
  const left = createHash('sha256').update('{"new":1}').digest('hex')
  folder.write(`data/connections/${id}.json`, { file, backup, folder: null, left })
  expect(journal.files()).toEqual([file])
  expect(await journal.undo(file)).toBe('restored')
  expect(folder.read('client.json')).toBe('{"old":1}')
})
