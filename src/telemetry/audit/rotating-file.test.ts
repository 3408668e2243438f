import { stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { makeFolder } from './rotating-file.ts'

it('makes all folders on the way, for their owner alone', async () => {
  const folder = tempFolder()
  const path = join(folder.path, 'a', 'b')
  await makeFolder(path)
  await makeFolder(path)
  expect((await stat(path)).mode & 0o777).toBe(0o700)
  expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700)
})

it('ends below a folder in which nothing can be made', async () => {
  await expect(makeFolder('/proc/portolan/audit')).rejects.toThrow('ENOENT')
})

it('refuses a file on the way, and a link to nowhere', async () => {
  const folder = tempFolder()
  await writeFile(join(folder.path, 'file'), '')
  await expect(makeFolder(join(folder.path, 'file', 'deep'))).rejects.toThrow('ENOTDIR')
  await symlink(join(folder.path, 'missing'), join(folder.path, 'link'))
  await expect(makeFolder(join(folder.path, 'link', 'deep'))).rejects.toThrow('ENOENT')
})
