import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { changesIn } from './changes-in.ts'

it('notices files that are added, changed and nested, and nothing else', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder.path, 'a.md'), 'one')
  const changed = changesIn([folder.path])
  expect(await changed()).toBe(true)
  expect(await changed()).toBe(false)
  await writeFile(join(folder.path, 'a.md'), 'other')
  expect(await changed()).toBe(true)
  await mkdir(join(folder.path, 'deep'))
  await writeFile(join(folder.path, 'deep/b.md'), 'two')
  expect(await changed()).toBe(true)
  await mkdir(join(folder.path, '.git'))
  await writeFile(join(folder.path, '.git/x'), 'three')
  expect(await changed()).toBe(false)
  await folder.remove()
})
