import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { readFoundBytes, readFoundFile } from './read-found-file.ts'

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

it('reads up to the given size, and nothing of a larger file', () => {
  const folder = tempFolder()
  folder.write('plain', 'text')
  expect(readFoundFile(folder.file('plain'), 4)).toBe('text')
  expect(readFoundFile(folder.file('plain'), 3)).toBeUndefined()
  expect(readFoundBytes(folder.file('plain'))).toEqual(Buffer.from('text'))
})

it.runIf(process.platform === 'linux')('reads nothing of the system from a link', () => {
  const folder = tempFolder()
  symlinkSync('/proc/self/environ', folder.file('environment'))
  expect(readFoundFile(folder.file('environment'))).toBe('')
})

it.skipIf(process.platform === 'win32')('does not wait for the writer of a pipe', () => {
  const folder = tempFolder()
  execFileSync('mkfifo', [folder.file('pipe')])
  expect(readFoundFile(folder.file('pipe'))).toBeUndefined()
})
