import { expect, it } from 'vitest'
import { runCli } from '../../../../test/support/run-cli.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'

it('shows what holds: the section code of portolan.yaml over the file of the project', async () => {
  const folder = tempFolder()
  folder.write('cocosearch.yaml', 'search:\n  resultLimit: 7\n  minScore: 0.2\n')
  const config = async () => (await runCli(folder, ['code', 'config'])).stdout
  expect(await config()).toContain('resultLimit: 7')
  folder.write('portolan.yaml', { code: { resultLimit: 3, controllerModel: 'a-model' } })
  const shown = await config()
  expect(shown).toContain('resultLimit: 3')
  expect(shown).toContain('minScore: 0.2')
  expect(shown).toContain('model: a-model')
})

it('says which setting of the section cannot be used', async () => {
  const folder = tempFolder()
  folder.write('portolan.yaml', { code: { minScore: 3 } })
  const { code, stderr } = await runCli(folder, ['code', 'config'])
  expect(code).not.toBe(0)
  expect(stderr).toContain('code.minScore')
})
