import { existsSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { PLANTED_REPOSITORIES } from '../support/planted-repositories.ts'
import { runBuilt } from '../support/run-built.ts'
import { tempFolder } from '../support/temp-folder.ts'

it.each(Object.entries(PLANTED_REPOSITORIES))(
  'the commands run nothing that a folder names: %s',
  async (_, plant) => {
    const folder = tempFolder()
    plant(folder.file('planted'), folder.file('mark'))
    const inner = folder.file('planted/docs')
    const planted = existsSync(inner) ? inner : folder.file('planted')
    for (const args of [
      ['ingest', planted],
      ['code', 'index', planted],
      ['code', 'stats'],
    ]) {
      const { code, stderr } = await runBuilt(folder, args)
      expect({ args, code, stderr }).toMatchObject({ code: 0 })
    }
    const marks = readdirSync(folder.path).filter((name) => name.startsWith('mark'))
    expect(marks).toEqual([])
  },
)
