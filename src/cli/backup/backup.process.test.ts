import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
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
  expect(again.stderr).toMatch(/^ERROR: .* already holds data .*\n$/)
})

it('takes the key of what is sealed out of the keyring of this desktop', async () => {
  const folder = tempFolder()
  // A keyring that keeps what it is given in a file of this test.
  const tool = folder.write(
    'bin/secret-tool',
    `#!/bin/sh\nif [ "$1" = store ]; then cat > ${folder.file('kept')}; else cat ${folder.file('kept')}; fi\n`,
  )
  chmodSync(tool, 0o755)
  const PATH = `${folder.file('bin')}:${process.env['PATH']}`
  const desktop = { PATH, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }
  expect((await runCli(folder, ['secrets', 'set', 'A'], desktop, 'one')).code).toBe(0)
  expect(folder.read('data/vault-key')).toBe('keyring')
  expect((await runCli(folder, ['backup', 'all.backup'], desktop)).code).toBe(0)
  const elsewhere = { PORTOLAN_HOME: folder.file('elsewhere'), PORTOLAN_KEYRING: 'off' }
  expect((await runCli(folder, ['restore', 'all.backup'], elsewhere)).code).toBe(0)
  expect((await runCli(folder, ['secrets', 'list'], elsewhere)).stdout).toBe('A\n')

  const locked = await runCli(folder, ['backup', 'locked.backup'], { PORTOLAN_KEYRING: 'off' })
  expect(locked).toMatchObject({ code: 0, stderr: expect.stringContaining('Unlock the keyring') })
})

it('takes the data folder that portolan.yaml names, and fills one that is written with ~', async () => {
  const folder = tempFolder()
  folder.write('portolan.yaml', { home: '~/moved' })
  const unset = { PORTOLAN_HOME: '' }
  expect((await runCli(folder, ['keys', 'create', 'ada'], unset)).code).toBe(0)
  const saved = await runCli(folder, ['backup', 'all.backup'], unset)
  expect(saved.stdout).toContain('1 files in all.backup')
  const back = await runCli(folder, ['restore', 'all.backup'], { PORTOLAN_HOME: '~/elsewhere' })
  expect(back.stdout).toContain('1 files restored')
  expect(folder.read('elsewhere/keys.json')).toBe(folder.read('moved/keys.json'))
})

it.each([
  ['is no backup', gzipSync('{"a":1}\n'), /^ERROR: This file is not a Portolan backup\n$/],
  ['is damaged', gzipSync('{"format":'), /^ERROR: A line of the backup is not JSON.*\n$/],
  [
    'has a line without an end',
    gzipSync(Buffer.alloc(70 * 1024 * 1024, 'x')),
    /^ERROR: A line of the backup is longer than \d+ bytes.*\n$/,
  ],
])('says in one line why it does not restore a file that %s', async (_, content, problem) => {
  const folder = tempFolder()
  writeFileSync(folder.file('bad.backup'), content)
  const refused = await runCli(folder, ['restore', 'bad.backup'])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(problem)])
})

it('says in one line that the database cannot be reached', async () => {
  const databaseUrl = 'postgres://127.0.0.1:1/nothing'
  const { code, stderr } = await runCli(tempFolder(), ['traces', 'seed'], {
    PORTOLAN_DATABASE_URL: databaseUrl,
  })
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^ERROR: The database of PORTOLAN_DATABASE_URL does not answer: .* Start PostgreSQL, .*\n$/,
  )
})
