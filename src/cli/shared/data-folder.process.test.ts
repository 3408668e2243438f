import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

it.each([
  ['traces', ['backup', 'out.json']],
  ['hooks', ['traces', 'admin', 'hooks', 'update_check', 'false']],
  ['knowledge', ['knowledge', 'stats']],
])('uses the data folder of the gateway for %s', async (_, command) => {
  const folder = tempFolder()
  expect(await runCli(folder, command, { PORTOLAN_HOME: '~/mine' })).toMatchObject({ code: 0 })
  expect(existsSync(folder.file('mine'))).toBe(true)
  expect(existsSync(folder.file('~'))).toBe(false)
})

it('uses the data folder that the settings name', async () => {
  const folder = tempFolder()
  folder.write('portolan.yaml', 'home: ./elsewhere\n')
  const env = { PORTOLAN_HOME: '' }
  expect(await runCli(folder, ['backup', 'out.json'], env)).toMatchObject({ code: 0 })
  expect(await runCli(folder, ['knowledge', 'stats'], env)).toMatchObject({ code: 0 })
  expect(existsSync(folder.file('elsewhere/portolan.db'))).toBe(true)
  expect(existsSync(folder.file('.portolan/portolan.db'))).toBe(false)
})
