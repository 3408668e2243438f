import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { testVault } from '../../../test/support/test-vault.ts'
import { identityFiles } from '../identity-files.ts'
import type { Keyring } from './keyring.ts'
import { openSeal, openVault } from './open-vault.ts'

const OFF = { PORTOLAN_KEYRING: 'off' }

testVault('files', {
  async open() {
    const home = tempFolder().path
    return [openVault(home, OFF), openVault(home, OFF)]
  },
})

it('keeps nothing readable: neither the record nor a copy of it under another name', async () => {
  const folder = tempFolder()
  const vault = openVault(folder.path, OFF)
  await vault.record<{ token: string }>('sign-in.a.ada').update({ token: 'very-secret' })
  const file = folder.file('vault/sign-in.a.ada.sealed')
  const sealed = readFileSync(file, 'utf8')
  expect(sealed).toMatch(/^sealed2:/)
  expect(sealed).not.toContain('very-secret')
  for (const path of [file, identityFiles(folder.path).vaultKey])
    expect(statSync(path).mode & 0o777).toBe(0o600)

  // Whoever can write to the folder cannot give one person the sign-in of another.
  writeFileSync(folder.file('vault/sign-in.a.bob.sealed'), sealed)
  await expect(vault.record('sign-in.a.bob').read()).rejects.toThrow('cannot be read')
  expect(await vault.record('sign-in.a.ada').read()).toEqual({ token: 'very-secret' })
})

it('opens what an earlier key has sealed, and seals it with the new one', async () => {
  const home = tempFolder().path
  const open = (env: Record<string, string>) => openVault(home, { ...OFF, ...env }).record('note')
  await open({ PORTOLAN_SECRET_KEY: 'one' }).update({ text: 'kept' })
  const both = { PORTOLAN_SECRET_KEY: 'two', PORTOLAN_SECRET_KEY_PREVIOUS: 'one' }
  await expect(open({ PORTOLAN_SECRET_KEY: 'two' }).read()).rejects.toThrow('another one')
  expect(await open(both).read()).toEqual({ text: 'kept' })
  expect(await open({ PORTOLAN_SECRET_KEY: 'two' }).read()).toEqual({ text: 'kept' })
  await expect(open({ PORTOLAN_SECRET_KEY: 'one' }).read()).rejects.toThrow('another one')
})

it('takes a key of the environment though one was made before', async () => {
  const home = tempFolder().path
  await openVault(home, OFF).record('note').update({ text: 'kept' })
  const env = { ...OFF, PORTOLAN_SECRET_KEY: 'one' }
  expect(await openVault(home, env).record('note').read()).toEqual({ text: 'kept' })
})

it('leaves the key to a keyring where there is one, and says so where it is missing later', async () => {
  const path = tempFolder().file('vault-key')
  const kept = new Map<string, string>()
  const keyring: Keyring = {
    read: async (account) => kept.get(account),
    async write(account, secret) {
      kept.set(account, secret)
      return true
    },
  }
  const sealed = (await openSeal(path, {}, keyring)).close('text', 'name')
  expect(readFileSync(path, 'utf8')).toBe('keyring')
  expect((await openSeal(path, {}, keyring)).open(sealed, 'name')).toBe('text')
  await expect(openSeal(path, OFF)).rejects.toThrow('keyring of the desktop')
})

it('keeps the key in a file where the keyring does not take it', async () => {
  const path = tempFolder().file('vault-key')
  const locked: Keyring = { read: async () => undefined, write: async () => false }
  const sealed = (await openSeal(path, {}, locked)).close('text', 'name')
  expect((await openSeal(path, OFF)).open(sealed, 'name')).toBe('text')
})
