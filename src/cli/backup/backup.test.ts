import { statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runCli } from '../../../test/support/run-cli.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'

it('takes a whole data folder to another place', async () => {
  const folder = tempFolder()
  expect((await runCli(folder, ['traces', 'seed'])).code).toBe(0)
  const made = await runCli(folder, ['keys', 'create', 'ada'])
  expect(made.code).toBe(0)
  const audit = `{"line":"${'x'.repeat(700_000)}"}\n`
  folder.write('data/audit.jsonl', audit)
  folder.write('data/cache/listings/one.json', '{}')

  const saved = await runCli(folder, ['backup', 'all.backup'])
  expect(saved.stdout).toMatch(/^\d+ rows of \d+ tables and \d+ files in all\.backup\n$/)
  expect(statSync(folder.file('all.backup')).mode & 0o077).toBe(0)

  const elsewhere = { PORTOLAN_HOME: folder.file('elsewhere') }
  const back = await runCli(folder, ['restore', 'all.backup'], elsewhere)
  expect(back.stdout).toBe(saved.stdout.replace('in all.backup', 'restored'))
  expect(folder.read('elsewhere/keys.json')).toBe(folder.read('data/keys.json'))
  expect(statSync(folder.file('elsewhere/keys.json')).mode & 0o777).toBe(0o600)
  expect(folder.read('elsewhere/audit.jsonl')).toBe(audit)
  expect(folder.read('elsewhere/cache/listings/one.json')).toBe('')
  const list = await runCli(folder, ['keys', 'list'], elsewhere)
  expect(list.stdout).toContain('ada')

  const again = await runCli(folder, ['restore', 'all.backup'], elsewhere)
  expect(again.code).toBe(1)
  expect(again.stderr).toContain('already holds data')
})
