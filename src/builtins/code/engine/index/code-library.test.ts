import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { SHOP, aFolder, aProject } from '../../../../../test/support/code-project.ts'
import { projectAt } from '../../project/find-project.ts'
import { CodeLibrary } from './code-library.ts'
import { DEFAULT_SETTINGS } from './index-settings.ts'

async function aServedShop() {
  const root = aProject(SHOP)
  const library = new CodeLibrary({ home: aFolder(), background: true })
  onTestFinished(async () => library.close())
  const project = projectAt(root)
  const { live } = await library.build(project, 'shop', DEFAULT_SETTINGS)
  return { root, library, project, live }
}

const OTHER_SETTINGS = { ...DEFAULT_SETTINGS, exclude: ['*.py'] }

it.each([
  ['from scratch', DEFAULT_SETTINGS, true],
  ['with other settings', OTHER_SETTINGS, false],
])('closes the index that a build %s replaces', async (_, settings, fresh) => {
  const { library, project, live } = await aServedShop()
  const parser = live.parser
  const { live: rebuilt } = await library.build(project, 'shop', settings, { fresh })
  expect(rebuilt).not.toBe(live)
  expect(parser.isAlive).toBe(false)
  expect(await library.get('shop')).toBe(rebuilt)
})

it('opens the saved index again if the build that would replace it is cancelled', async () => {
  const { root, library, project, live } = await aServedShop()
  const signal = AbortSignal.abort()
  const cancelled = library.build(project, 'shop', OTHER_SETTINGS, { signal })
  await expect(cancelled).rejects.toThrow(/abort/i)
  const known = await library.get('shop')
  expect(known).not.toBe(live)
  writeFileSync(join(root, 'src/new.ts'), 'export const isNew = 1\n')
  expect(await known?.freshen(20_000)).toBe(true)
  expect([...(known?.index.files.keys() ?? [])]).toEqual(
    expect.arrayContaining(['src/checkout.py', 'src/new.ts']),
  )
})

it('cancels a build that is running when it closes', async () => {
  const files = Array.from({ length: 2_000 }, (_, n) => [`f${n}.ts`, 'const a = 1\n'.repeat(200)])
  const project = projectAt(aProject(Object.fromEntries(files)))
  const library = new CodeLibrary({ home: aFolder() })
  const building = library.build(project, 'many', DEFAULT_SETTINGS)
  building.catch(() => undefined)
  await library.close()
  await expect(building).rejects.toThrow(/abort/i)
})

it('tries again to open an index that could not be read', async () => {
  const { library, live } = await aServedShop()
  await live.close()
  const file = join(library.store.folder, 'shop/index.bin')
  const again = new CodeLibrary({ home: join(library.store.folder, '..') })
  onTestFinished(async () => again.close())
  rmSync(file)
  mkdirSync(file)
  await expect(again.get('shop')).rejects.toThrow('EISDIR')
  rmSync(file, { recursive: true })
  expect((await again.get('shop'))?.index.files.size).toBe(4)
})

it('closes although an index could not be read', async () => {
  const { library, live } = await aServedShop()
  await live.close()
  const again = new CodeLibrary({ home: join(library.store.folder, '..') })
  const file = join(library.store.folder, 'shop/index.bin')
  rmSync(file)
  mkdirSync(file)
  const failing = again.get('shop')
  await Promise.all([expect(failing).rejects.toThrow('EISDIR'), again.close()])
})
