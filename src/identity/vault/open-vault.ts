import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hasCode } from '../../base/errors.ts'
import type { Environment } from '../../base/environment.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { identityFiles } from '../identity-files.ts'
import { linkSecret } from '../secret-file.ts'
import { createFileVault } from './file-vault.ts'
import { type Seal, createSeal } from './seal.ts'
import type { Vault } from './vault.ts'
import { execFile } from 'node:child_process'

/** The content of the key file if the key is in the keyring. */
const IN_KEYRING = 'keyring'

/** Opens the vault in the data folder of an installation. Finds its key when first used. */
export function openVault(
  home: string,
  env: Environment,
  options?: { readonly readOnly: boolean },
): Vault {
  const { vault, vaultKey } = identityFiles(home)
  return createFileVault(vault, async () => openSeal(vaultKey, env), options)
}

/** Uses the key of the environment, or else of the keyring if there is one, or else of a file. */
export async function openSeal(
  path: string,
  env: Environment,
  keyring: Keyring | undefined = findKeyring(env),
): Promise<Seal> {
  if (env['PORTOLAN_SECRET_KEY']) {
    // A key created before the variable was set still opens what it has sealed.
    const made = await madeKey(path, keyring).catch(() => undefined)
    const { PORTOLAN_SECRET_KEY, PORTOLAN_SECRET_KEY_PREVIOUS } = env
    const keys = [PORTOLAN_SECRET_KEY, PORTOLAN_SECRET_KEY_PREVIOUS, made]
    return createSeal({ keys, hint: HINT })
  }
  const key = (await madeKey(path, keyring)) ?? (await makeKey(path, keyring))
  return createSeal({ keys: [key, env['PORTOLAN_SECRET_KEY_PREVIOUS']], hint: HINT })
}

const HINT =
  'Set PORTOLAN_SECRET_KEY to the key it was sealed with (PORTOLAN_SECRET_KEY_PREVIOUS after a change), or restore vault-key from a backup, or remove the vault folder and sign in again.'

/** Returns the key of this installation, or undefined if none was created yet. */
async function madeKey(path: string, keyring: Keyring | undefined): Promise<string | undefined> {
  const kept = keptIn(path)
  if (kept !== IN_KEYRING) return kept
  const key = await keyring?.read(path)
  if (key) return key
  throw new GatewayError(
    'SERVER_UNAVAILABLE',
    'The key of stored sign-ins is in the keyring of the desktop, which cannot be read from here',
    {
      hint: 'Unlock the keyring and start the gateway from the desktop session, or set PORTOLAN_SECRET_KEY and sign in again.',
    },
  )
}

async function makeKey(path: string, keyring: Keyring | undefined): Promise<string> {
  const key = randomBytes(32).toString('base64url')
  const isStored = (await keyring?.write(path, key)) === true && (await keyring?.read(path)) === key
  const kept = linkSecret(path, isStored ? IN_KEYRING : key)
  return kept === IN_KEYRING ? ((await madeKey(path, keyring)) ?? key) : kept
}

function keptIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** The keyring of the operating system, used through its command-line tool. */
export interface Keyring {
  read(account: string): Promise<string | undefined>
  /** Returns whether it was stored. */
  write(account: string, secret: string): Promise<boolean>
}

const SERVICE = 'portolan'
/** A locked keyring asks the user, which the start of a gateway must not wait for. */
const ANSWER_MS = 3_000

/** Returns undefined if there is none, as on a server without a desktop session. */
export function findKeyring(env: Environment, platform = process.platform): Keyring | undefined {
  if (env['PORTOLAN_KEYRING'] === 'off') return undefined
  if (platform === 'darwin') return macKeychain
  return platform === 'linux' && env['DBUS_SESSION_BUS_ADDRESS'] ? secretService : undefined
}

const secretService: Keyring = {
  read: async (account) => ask('secret-tool', ['lookup', 'service', SERVICE, 'account', account]),
  async write(account, secret) {
    const label = `--label=Portolan vault (${account})`
    const args = ['store', label, 'service', SERVICE, 'account', account]
    return (await ask('secret-tool', args, secret)) !== undefined
  },
}

const macKeychain: Keyring = {
  read: async (account) =>
    ask('security', ['find-generic-password', '-s', SERVICE, '-a', account, '-w']),
  async write(account, secret) {
    // The command goes to stdin, because other users can see the arguments of a process.
    const line = `add-generic-password -U -s ${SERVICE} -a "${account}" -w "${secret}"\n`
    return (await ask('security', ['-i'], line)) !== undefined
  },
}

/** Returns what a command prints, or undefined if it is missing, fails or takes too long. */
async function ask(program: string, args: string[], input = ''): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { timeout: ANSWER_MS }, (error, stdout) =>
      resolve(error ? undefined : stdout.trim()),
    )
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
