import { symlinkSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runCli } from '../../../../test/support/run-cli.ts'
import { storedSecrets } from '../../../../test/support/stored-secrets.ts'
import { type TempFolder, tempFolder } from '../../../../test/support/temp-folder.ts'
import { changeFiles } from './change-files.ts'

const contentOf = (folder: TempFolder, file: string) =>
  file.endsWith('secrets.env') ? storedSecrets(folder) : folder.read(file)

it.each([
  ['data/secrets.env', ['secrets', 'set', 'FRESH']],
  ['data/mcp.json', ['server', 'add', 'fresh', '--no-test', '--', 'fresh-mcp']],
])('does not write %s while another command changes files', async (file, command) => {
  const folder = tempFolder()
  folder.write('data/secrets.env', 'OLD=1\n')
  const place = { cwd: folder.path, env: { PORTOLAN_HOME: folder.file('data') } }
  const before = contentOf(folder, file)
  const { code, stderr } = await changeFiles(place, { reason: 'test' }, async () =>
    runCli(folder, command, {}, 'value'),
  )
  expect(stderr).toContain('is held by another process')
  expect(code).toBe(1)
  expect(contentOf(folder, file)).toBe(before)
  expect((await runCli(folder, command, {}, 'value')).code).toBe(0)
  expect(contentOf(folder, file).toLowerCase()).toContain('fresh')
})

it('adds no server whose key cannot be stored', async () => {
  const folder = tempFolder()
  folder.write('data/portolan.yaml', '')
  // A draft beside a file with such a name has a name that is too long.
  symlinkSync('s'.repeat(250), folder.file('data/secrets.env'))
  const key = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
  const args = ['server', 'add', 'hub', '--no-test', '-e', `GITHUB_TOKEN=${key}`, '--', 'hub-mcp']
  expect((await runCli(folder, args)).code).toBe(1)
  expect(folder.read('data/mcp.json')).toBe('')
})
