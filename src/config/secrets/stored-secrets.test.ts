import { existsSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { loadConfig } from '../load.ts'
import { trustEverything } from '../trust/trust-list.ts'
import { readSecrets, sealWritten, secretsText, storeSecrets } from './stored-secrets.ts'

const OFF = { PORTOLAN_KEYRING: 'off' }

it('stores secrets sealed, for their owner only', () => {
  const folder = tempFolder()
  storeSecrets(folder.path, OFF, 'A="hunter22"\n')
  expect(folder.read('secrets.sealed')).toMatch(/^sealed2:/)
  expect(statSync(folder.file('secrets.sealed')).mode & 0o777).toBe(0o600)
  expect(existsSync(folder.file('secrets.env'))).toBe(false)
  expect(readSecrets(folder.path, OFF)).toEqual({ A: 'hunter22' })
})

it('adds what a person has written by hand, seals it, and removes the file', () => {
  const folder = tempFolder()
  storeSecrets(folder.path, OFF, '# old\nA=1\nB=2\n')
  folder.write('secrets.env', '# mine\nB=3\nC=4\n')
  expect(readSecrets(folder.path, OFF)).toEqual({ A: '1', B: '3', C: '4' })
  const text = secretsText(folder.path, OFF)
  expect(sealWritten(folder.path, OFF)).toBe(true)
  expect(existsSync(folder.file('secrets.env'))).toBe(false)
  expect(secretsText(folder.path, OFF)).toBe(text)
  expect(text).toBe('# old\nA=1\n# mine\nB=3\nC=4\n')
  expect(sealWritten(folder.path, OFF)).toBe(false)
})

it('adds nothing twice when it was interrupted between sealing and removing', () => {
  const folder = tempFolder()
  storeSecrets(folder.path, OFF, '# mine\nA=1\n')
  folder.write('secrets.env', '# mine\nA=1\n')
  expect(secretsText(folder.path, OFF)).toBe('# mine\nA=1\n')
})

it('leaves a link to a file elsewhere, which is read and written as it is', () => {
  const folder = tempFolder()
  folder.write('dotfiles/keys', 'A=1\n')
  mkdirSync(folder.file('data'))
  symlinkSync(folder.file('dotfiles/keys'), folder.file('data/secrets.env'))
  const home = folder.file('data')
  expect(sealWritten(home, OFF)).toBe(false)
  expect(readSecrets(home, OFF)).toEqual({ A: '1' })
  expect(storeSecrets(home, OFF, 'A=2\n')).toBe(folder.file('data/secrets.env'))
  expect(folder.read('dotfiles/keys')).toBe('A=2\n')
  expect(existsSync(folder.file('data/secrets.sealed'))).toBe(false)
})

it('keeps what is stored where a new text cannot be read back', () => {
  const folder = tempFolder()
  folder.write('secrets.env', 'A=1\n')
  mkdirSync(folder.file('secrets.sealed'))
  expect(() => sealWritten(folder.path, OFF)).toThrow('plain file')
  expect(folder.read('secrets.env')).toBe('A=1\n')
})

it('seals again what the previous key has sealed', () => {
  const folder = tempFolder()
  storeSecrets(folder.path, { ...OFF, PORTOLAN_SECRET_KEY: 'one' }, 'A=1\n')
  const both = { ...OFF, PORTOLAN_SECRET_KEY: 'two', PORTOLAN_SECRET_KEY_PREVIOUS: 'one' }
  expect(sealWritten(folder.path, both)).toBe(false)
  const now = { ...OFF, PORTOLAN_SECRET_KEY: 'two' }
  expect(readSecrets(folder.path, now)).toEqual({ A: '1' })
})

it('has no secrets where there is no file, and says what is wrong with one', () => {
  const folder = tempFolder()
  expect(readSecrets(folder.path, OFF)).toEqual({})
  folder.write('secrets.env', 'A=1')
  expect(readSecrets(folder.path, OFF)).toEqual({ A: '1' })
  folder.write('bad/secrets.env/x', '')
  expect(() => readSecrets(folder.file('bad'), OFF)).toThrow('is not a plain file')
})

it('starts without secrets that no key opens: only servers that need them are broken', () => {
  const folder = tempFolder()
  const home = folder.file('data')
  storeSecrets(home, { ...OFF, PORTOLAN_SECRET_KEY: 'lost' }, 'A=1\n')
  folder.write('.mcp.json', {
    mcpServers: { one: { command: 'x', env: { A: '${A}' } }, two: { command: 'y' } },
  })
  const env = { ...OFF, HOME: folder.path, PORTOLAN_HOME: home }
  const { servers, warnings } = loadConfig({ cwd: folder.path, env, trust: trustEverything })
  expect([servers.get('one')?.kind, servers.get('two')?.kind]).toEqual(['broken', 'stdio'])
  expect(warnings.join()).toMatch(/stored secrets cannot be read.*PORTOLAN_SECRET_KEY/)
  rmSync(folder.file('data/secrets.sealed'))
})
