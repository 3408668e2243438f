import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { testVault } from '../../../test/support/test-vault.ts'
import { identityFiles } from '../identity-files.ts'
import { createFileVault } from './file-vault.ts'
import type { Keyring } from './keyring.ts'
import { openSeal, openVault } from './open-vault.ts'
import { createSeal } from './seal.ts'

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

const sealed = (text: string, key = 'one') =>
  createSeal({ keys: [key], hint: '' }).close(text, 'note')

it('believes a record for half a second, and then looks whether its file has changed', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const folder = tempFolder()
    const open = vi.fn(async () => createSeal({ keys: ['one'], hint: '' }))
    const note = createFileVault(folder.path, open).record<{ text: string }>('note')
    await note.update({ text: 'first' })
    writeFileSync(folder.file('note.sealed'), sealed('{"text":"second"}'))
    vi.advanceTimersByTime(499)
    expect(await note.read()).toEqual({ text: 'first' })
    vi.advanceTimersByTime(1)
    expect(await note.read()).toEqual({ text: 'second' })
    expect(open).toHaveBeenCalledTimes(1)
    await note.remove()
    await note.remove()
    expect(await note.read()).toEqual({})
  } finally {
    vi.useRealTimers()
  }
})

const bothKeys = async () => createSeal({ keys: ['new', 'old'], hint: '' })

it('seals nothing again where it may only be read', async () => {
  const folder = tempFolder()
  const before = sealed('{"text":"kept"}', 'old')
  writeFileSync(folder.file('note.sealed'), before)
  const read = async (readOnly: boolean) =>
    createFileVault(folder.path, bothKeys, { readOnly }).record('note').read()
  expect(await read(true)).toEqual({ text: 'kept' })
  expect(readFileSync(folder.file('note.sealed'), 'utf8')).toBe(before)
  expect(await read(false)).toEqual({ text: 'kept' })
  const after = readFileSync(folder.file('note.sealed'), 'utf8')
  expect(after).not.toBe(before)
  expect(await read(false)).toEqual({ text: 'kept' })
  expect(readFileSync(folder.file('note.sealed'), 'utf8'), 'once is enough').toBe(after)
})

it('does not take a file that cannot be read for none', async () => {
  const folder = tempFolder()
  mkdirSync(folder.file('vault/note.sealed'), { recursive: true })
  await expect(openVault(folder.path, OFF).record('note').read()).rejects.toThrow('EISDIR')
  expect(await openVault(folder.path, OFF).record('other').read()).toEqual({})
  mkdirSync(identityFiles(folder.path).vaultKey)
  await expect(openVault(folder.path, OFF).record('third').update({ text: 'x' })).rejects.toThrow(
    'EISDIR',
  )
})

it('names no records where there is no folder', async () => {
  expect(await openVault(tempFolder().path, OFF).names('')).toEqual([])
})

it('keeps the key in a file where the keyring gives back another one', async () => {
  const path = tempFolder().file('vault-key')
  const odd: Keyring = { read: async () => 'another', write: async () => true }
  const text = (await openSeal(path, {}, odd)).close('text', 'name')
  expect(readFileSync(path, 'utf8')).not.toBe('keyring')
  expect((await openSeal(path, OFF)).open(text, 'name')).toBe('text')
})

it('says what to do where the keyring has lost the key', async () => {
  const path = tempFolder().file('vault-key')
  writeFileSync(path, 'keyring\n')
  await expect(openSeal(path, OFF)).rejects.toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    details: { hint: expect.stringContaining('PORTOLAN_SECRET_KEY') },
  })
})

it('looks for its key again after a failure, such as a locked keyring', async () => {
  let isLocked = true
  const vault = createFileVault(tempFolder().path, async () => {
    if (isLocked) throw new Error('the keyring is locked')
    return createSeal({ keys: ['one'], hint: '' })
  })
  const note = vault.record<{ text: string }>('note')
  await expect(note.update({ text: 'kept' })).rejects.toThrow('the keyring is locked')
  isLocked = false
  await note.update({ text: 'kept' })
  expect(await note.read()).toEqual({ text: 'kept' })
})
