import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { findKeyring } from './open-vault.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const DESKTOP = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus' }

describe('a keyring', () => {
  it('is there on a desktop, unless it is switched off', () => {
    const linux = findKeyring(DESKTOP, 'linux')
    const mac = findKeyring({}, 'darwin')
    expect(linux).toBeDefined()
    expect(mac).toBeDefined()
    expect(mac).not.toBe(linux)
    for (const platform of ['linux', 'darwin'] as const)
      expect(findKeyring({ ...DESKTOP, PORTOLAN_KEYRING: 'off' }, platform)).toBeUndefined()
  })

  it('is not there on a server, nor where the system has none that we know', () => {
    expect(findKeyring({}, 'linux')).toBeUndefined()
    expect(findKeyring(DESKTOP, 'win32')).toBeUndefined()
  })
})

/** Puts a program of that name on the PATH, which writes down how it was called and then does `rest`. */
function aProgram(name: string, rest: string) {
  const folder = tempFolder()
  const program = folder.write(
    name,
    `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder.path}/args\ncat > ${folder.path}/stdin\n${rest}\n`,
  )
  chmodSync(program, 0o755)
  vi.stubEnv('PATH', `${folder.path}:${process.env['PATH']}`)
  const said = (file: string) => readFileSync(folder.file(file), 'utf8')
  return { args: () => said('args').trim().split('\n'), stdin: () => said('stdin'), folder }
}

const keyringOf = (platform: 'linux' | 'darwin') => {
  const keyring = findKeyring(DESKTOP, platform)
  if (!keyring) throw new Error('no keyring')
  return keyring
}

const SECRET = 'k3y-of-the-vault'

describe.each([
  {
    platform: 'linux',
    program: 'secret-tool',
    read: ['lookup', 'service', 'portolan', 'account', '/home/ada/vault-key'],
    write: [
      'store',
      '--label=Portolan vault (/home/ada/vault-key)',
      'service',
      'portolan',
      'account',
      '/home/ada/vault-key',
    ],
    given: SECRET,
  },
  {
    platform: 'darwin',
    program: 'security',
    read: ['find-generic-password', '-s', 'portolan', '-a', '/home/ada/vault-key', '-w'],
    write: ['-i'],
    given: `add-generic-password -U -s portolan -a "/home/ada/vault-key" -w "${SECRET}"\n`,
  },
] as const)('the keyring of $platform', ({ platform, program, read, write, given }) => {
  const account = '/home/ada/vault-key'

  it('is read by its own command, and given a secret where no other user sees it', () => {
    const { args, stdin } = aProgram(program, `echo ${SECRET}`)
    expect(keyringOf(platform).read(account)).toBe(SECRET)
    expect(args()).toEqual(read)
    expect(keyringOf(platform).write(account, SECRET)).toBe(true)
    expect(args()).toEqual(write)
    expect(stdin()).toBe(given)
  })

  it('that refuses has no secret, and stores none', () => {
    aProgram(program, `echo ${SECRET}; exit 1`)
    expect(keyringOf(platform).read(account)).toBeUndefined()
    expect(keyringOf(platform).write(account, SECRET)).toBe(false)
  })

  it('whose command is not installed has no secret, and stores none', () => {
    const { path } = tempFolder()
    vi.stubEnv('PATH', path)
    expect(keyringOf(platform).read(account)).toBeUndefined()
    expect(keyringOf(platform).write(account, SECRET)).toBe(false)
  })
})

it('a keyring that waits for the user is not waited for', () => {
  const { folder } = aProgram('secret-tool', `exec sleep 60`)
  const startedAt = performance.now()
  expect(keyringOf('linux').read('a')).toBeUndefined()
  expect(performance.now() - startedAt).toBeLessThan(45_000)
  expect(existsSync(folder.file('stdin')), 'it was asked').toBe(true)
})
