import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SHOP, aFolder, aProject } from '../../../../../test/support/code-project.ts'
import { projectAt } from '../../project/find-project.ts'
import { CodeLibrary } from './code-library.ts'
import { DEFAULT_SETTINGS } from './index-settings.ts'

/** A saved index whose file cannot be read: there is a folder in its place. */
async function anUnreadableIndex() {
  const home = aFolder()
  const project = projectAt(aProject(SHOP))
  const before = new CodeLibrary({ home })
  await before.build(project, 'shop', DEFAULT_SETTINGS)
  await before.close()
  const [name = ''] = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('index.bin'),
  )
  const file = join(home, name)
  renameSync(file, `${file}.away`)
  mkdirSync(file)
  const repair = (): void => {
    rmSync(file, { recursive: true })
    renameSync(`${file}.away`, file)
  }
  return { library: new CodeLibrary({ home }), repair }
}

it('opens an index again after it could not be read', async () => {
  const { library, repair } = await anUnreadableIndex()
  await expect(library.get('shop')).rejects.toThrow('EISDIR')
  repair()
  expect((await library.get('shop'))?.index.files.size).toBeGreaterThan(0)
  await library.close()
})

it('closes although an index could not be read', async () => {
  const { library } = await anUnreadableIndex()
  const failing = library.get('shop')
  await Promise.all([expect(failing).rejects.toThrow('EISDIR'), library.close()])
  await library.close()
})
