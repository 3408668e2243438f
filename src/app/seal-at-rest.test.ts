import { chmodSync, existsSync, readFileSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type TempFolder, tempFolder } from '../../test/support/temp-folder.ts'
import { recordChanges } from '../config/history/record-changes.ts'
import { VersionStore } from '../config/history/version-store.ts'
import { readSecrets, storeSecrets } from '../config/secrets/stored-secrets.ts'
import type { Environment } from '../base/environment.ts'
import { openVault } from '../identity/vault/open-vault.ts'
import { sealAtRest, sealSecrets } from './seal-at-rest.ts'

const OFF = { PORTOLAN_KEYRING: 'off' }
const ONE = { ...OFF, PORTOLAN_SECRET_KEY: 'one' }
const BOTH = { ...OFF, PORTOLAN_SECRET_KEY: 'two', PORTOLAN_SECRET_KEY_PREVIOUS: 'one' }
const TWO = { ...OFF, PORTOLAN_SECRET_KEY: 'two' }

function aLog() {
  const lines: string[] = []
  const write = (message: string, fields = {}) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`)
  return { lines, log: { debug: write, info: write, warn: write, error: write } }
}

async function sealed(folder: TempFolder, env: Environment) {
  const { lines, log } = aLog()
  await sealAtRest({ home: folder.path, env, log }, openVault(folder.path, env))
  return lines
}

it('seals a secrets.env that a person has written, and says where its values are', async () => {
  const folder = tempFolder()
  folder.write('secrets.env', 'A=hunter22hunter22\n')
  const lines = await sealed(folder, OFF)
  expect(existsSync(folder.file('secrets.env'))).toBe(false)
  expect(lines.join()).toMatch(/secrets\.env are sealed in .*portolan secrets set/)
  expect(readSecrets(folder.path, OFF)).toEqual({ A: 'hunter22hunter22' })
  expect(await sealed(folder, OFF)).toEqual([])
})

it('leaves a secrets.env in use that it cannot seal, and says why', async () => {
  const folder = tempFolder()
  folder.write('secrets.env', 'A=1\n')
  folder.write('secrets.sealed/x', '')
  const { lines, log } = aLog()
  await sealSecrets({ home: folder.path, env: OFF, log })
  expect(lines.join()).toContain('stays as it is')
  expect(folder.read('secrets.env')).toBe('A=1\n')
})

it('seals what nobody reads again while the previous key is there', async () => {
  const folder = tempFolder()
  await openVault(folder.path, ONE).record('sign-in.x').update({ token: 'kept' })
  storeSecrets(folder.path, ONE, 'A=1\n')
  const place = { cwd: folder.path, env: { ...ONE, PORTOLAN_HOME: folder.path } }
  await recordChanges(place, { by: 'ada', reason: 'a change' }, () =>
    folder.write('mcp.json', '{"mcpServers":{}}'),
  )
  const lines = await sealed(folder, BOTH)
  expect(lines.join()).toContain('PORTOLAN_SECRET_KEY_PREVIOUS is not needed any more')
  expect(await openVault(folder.path, TWO).record('sign-in.x').read()).toEqual({ token: 'kept' })
  expect(readSecrets(folder.path, TWO)).toEqual({ A: '1' })
  const versions = await VersionStore.open({
    ...place,
    env: { ...TWO, PORTOLAN_HOME: folder.path },
  })
  expect(versions.all()).toHaveLength(1)
})

it('names the records that no key opens, and does not say that the previous key may go', async () => {
  const folder = tempFolder()
  const lost = { ...OFF, PORTOLAN_SECRET_KEY: 'lost' }
  await openVault(folder.path, lost).record('sign-in.x').update({ token: 'kept' })
  const lines = await sealed(folder, BOTH)
  expect(lines.join()).toContain('No key opens the stored record sign-in.x')
  expect(lines.join()).not.toContain('not needed any more')
})

it('seals the copies of clients’ files that an earlier version has made', async () => {
  const folder = tempFolder()
  folder.write('connections/ab.before', '{"env":{"KEY":"hunter22hunter22"}}')
  folder.write('connections/ab.json', '{"file":"/x","after":"hunter22hunter22"}')
  await sealed(folder, OFF)
  const texts = readdirSync(folder.file('connections')).map((name) =>
    readFileSync(folder.file(`connections/${name}`), 'utf8'),
  )
  expect(texts).toHaveLength(2)
  for (const text of texts) expect(text).toMatch(/^sealed2:/)
})

// Root may write everywhere.
it.skipIf(process.getuid?.() === 0)('uses secrets of a data folder that is read-only', async () => {
  const folder = tempFolder()
  folder.write('secrets.env', 'A=1\n')
  chmodSync(folder.path, 0o500)
  const lines = await sealed(folder, OFF).finally(() => chmodSync(folder.path, 0o700))
  expect(lines.join()).toContain('stays as it is')
  expect(readSecrets(folder.path, OFF)).toEqual({ A: '1' })
})
