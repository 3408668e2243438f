import { mkdirSync, symlinkSync, truncateSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readFoundFile } from './read-found-file.ts'

it('reads a plain file, also by a link, and neither a device nor a folder nor a huge file', () => {
  const folder = tempFolder()
  folder.write('plain', 'text')
  symlinkSync('plain', folder.file('link'))
  symlinkSync('/dev/null', folder.file('device'))
  mkdirSync(folder.file('folder'))
  folder.write('huge', '')
  truncateSync(folder.file('huge'), 64 * 1024 * 1024 + 1)
  for (const name of ['plain', 'link']) expect(readFoundFile(folder.file(name))).toBe('text')
  for (const name of ['device', 'folder', 'huge'])
    expect(readFoundFile(folder.file(name))).toBeUndefined()
  expect(() => readFoundFile(folder.file('none'))).toThrow('ENOENT')
})
