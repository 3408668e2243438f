import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { expect, it, vi } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { testVault } from '../../../test/support/test-vault.ts'
import { identityFiles } from '../identity-files.ts'
import { createFileVault } from './file-vault.ts'
import type { Keyring } from './open-vault.ts'
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
    read: (account) => kept.get(account),
    write(account, secret) {
      kept.set(account, secret)
      return true
    },
  }
  const sealed = openSeal(path, {}, keyring).close('text', 'name')
  expect(readFileSync(path, 'utf8')).toBe('keyring')
  expect(openSeal(path, {}, keyring).open(sealed, 'name')).toBe('text')
  expect(() => openSeal(path, OFF)).toThrow('keyring of the desktop')
})

it('keeps the key in a file where the keyring does not take it', async () => {
  const path = tempFolder().file('vault-key')
  const locked: Keyring = { read: () => undefined, write: () => false }
  const sealed = openSeal(path, {}, locked).close('text', 'name')
  expect(openSeal(path, OFF).open(sealed, 'name')).toBe('text')
})

it('reads a record again that another process wrote while it was opened', async () => {
  const folder = tempFolder().path
  const seal = createSeal({ keys: ['one'], hint: '' })
  const other = createFileVault(folder, async () => seal).record<{ a: number }>('note')
  await other.update({ a: 1 })
  const vault = createFileVault(folder, async () => {
    await other.update({ a: 2 })
    return seal
  })
  const record = vault.record<{ a: number; b: number }>('note')
  expect(await record.read()).toEqual({ a: 1 })
  await record.update({ b: 3 })
  expect(await record.read()).toEqual({ a: 2, b: 3 })
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

it('seals nothing again that another process has changed or removed meanwhile', async () => {
  const folder = tempFolder()
  const file = folder.file('note.sealed')
  const newer = sealed('{"text":"newer"}', 'new')
  for (const change of [() => writeFileSync(file, newer), () => rmSync(file)]) {
    writeFileSync(file, sealed('{"text":"older"}', 'old'))
    const seal = await bothKeys()
    const close = (text: string, name: string) => {
      change()
      return seal.close(text, name)
    }
    const vault = createFileVault(folder.path, async () => ({ ...seal, close }))
    expect(await vault.record('note').read()).toEqual({ text: 'older' })
    const after = existsSync(file) ? readFileSync(file, 'utf8') : ''
    expect(['', newer]).toContain(after)
  }
  expect(readdirSync(folder.path)).toEqual([])
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
  const odd: Keyring = { read: () => 'another', write: () => true }
  const text = openSeal(path, {}, odd).close('text', 'name')
  expect(readFileSync(path, 'utf8')).not.toBe('keyring')
  expect(openSeal(path, OFF).open(text, 'name')).toBe('text')
})

it('says what to do where the keyring has lost the key', async () => {
  const path = tempFolder().file('vault-key')
  writeFileSync(path, 'keyring\n')
  expect(() => openSeal(path, OFF)).toThrow(
    expect.objectContaining({
      code: 'SERVER_UNAVAILABLE',
      details: { hint: expect.stringContaining('PORTOLAN_SECRET_KEY') },
    }),
  )
})

it('asks for its key again after it could not be had, as when the keyring was locked', async () => {
  const folder = tempFolder()
  let isLocked = true
  const vault = createFileVault(folder.file('vault'), async () => {
    if (isLocked) throw new Error('the keyring is locked')
    return createSeal({ keys: ['one'], hint: '' })
  })
  const record = vault.record<{ text: string }>('note')
  await expect(record.update({ text: 'kept' })).rejects.toThrow('locked')
  isLocked = false
  await record.update({ text: 'kept' })
  expect(await record.read()).toEqual({ text: 'kept' })
})

it('does not remember every name that anybody ever asked for', () => {
  const vault = openVault(tempFolder().path, OFF)
  const first = vault.record('pending.0')
  expect(vault.record('pending.0')).toBe(first)
  for (let n = 1; n <= 5_000; n += 1) vault.record(`pending.${n}`)
  expect(vault.record('pending.0')).not.toBe(first)
})
