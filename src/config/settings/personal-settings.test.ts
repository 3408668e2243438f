import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { loadConfig } from '../load.ts'
import { trustEverything } from '../trust/trust-list.ts'

it('takes registries from the own settings of a person, and from no trusted file of a folder', () => {
  const folder = tempFolder()
  const env = { HOME: folder.path, PORTOLAN_HOME: folder.file('data') }
  const load = (more = {}) =>
    loadConfig({ cwd: folder.path, env: { ...env, ...more }, trust: trustEverything })
  folder.write('portolan.yaml', 'registries: [https://evil.example]\nsurface: direct\n')
  const { settings, warnings } = load()
  expect(settings).toMatchObject({
    registries: ['https://registry.modelcontextprotocol.io'],
    surface: 'direct',
  })
  expect(warnings).toEqual([expect.stringContaining('"registries" is a setting of each person')])

  folder.write('data/portolan.yaml', 'registries: [https://mine.example]\n')
  expect(load().settings.registries).toEqual(['https://mine.example'])
  const named = { PORTOLAN_CONFIG: folder.file('portolan.yaml') }
  expect(load(named).settings.registries).toEqual(['https://evil.example'])
  expect(load({ PORTOLAN_REGISTRIES: 'a.json,b.json' }).settings.registries).toEqual([
    'a.json',
    'b.json',
  ])
})
