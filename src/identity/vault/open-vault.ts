import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { getOrMake } from '../../base/maps.ts'
import { hasCode } from '../../base/errors.ts'
import type { Environment } from '../../base/environment.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { identityFiles } from '../identity-files.ts'
import { linkSecret } from '../secret-file.ts'
import { createFileVault } from './file-vault.ts'
import { type Seal, createSeal } from './seal.ts'
import type { Vault } from './vault.ts'

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

/**
 * Uses the key of the environment, or else of the keyring if there is one, or else of a file. At
 * once, because the configuration is read at once, and its secrets are sealed.
 */
export function openSeal(
  path: string,
  env: Environment,
  keyring: Keyring | undefined = findKeyring(env),
): Seal {
  const reader = keyring ?? keyringOfSession(env)
  if (env['PORTOLAN_SECRET_KEY']) {
    // A key created before the variable was set still opens what it has sealed.
    const { PORTOLAN_SECRET_KEY, PORTOLAN_SECRET_KEY_PREVIOUS } = env
    return sealOf([PORTOLAN_SECRET_KEY, PORTOLAN_SECRET_KEY_PREVIOUS, madeKeyIfAny(path, reader)])
  }
  const key = madeKey(path, reader) ?? makeKey(path, keyring)
  return sealOf([key, env['PORTOLAN_SECRET_KEY_PREVIOUS']])
}

const seals = new Map<string, Seal>()

/** Returns one seal for the same keys, because deriving a key from them takes a while. */
function sealOf(keys: readonly (string | undefined)[]): Seal {
  return getOrMake(seals, JSON.stringify(keys), () => createSeal({ keys, hint: HINT }))
}

const HINT =
  'Set PORTOLAN_SECRET_KEY to the key it was sealed with (PORTOLAN_SECRET_KEY_PREVIOUS after a change), or restore vault-key from a backup, or remove the vault folder and secrets.sealed, sign in again and store the secrets again.'

/** Returns the key of an installation if it is in a keyring, so that a backup can hold it. */
export function keyOutsideFile(path: string, env: Environment): string | undefined {
  return keptIn(path) === IN_KEYRING ? madeKey(path, keyringOfSession(env)) : undefined
}

/** Returns the key of this installation, or undefined if none was created yet. */
function madeKey(path: string, keyring: Keyring | undefined): string | undefined {
  const kept = keptIn(path)
  if (kept !== IN_KEYRING) return kept
  const key = keyInKeyring(path, keyring)
  if (key) return key
  throw new GatewayError(
    'SERVER_UNAVAILABLE',
    'The key of stored secrets and sign-ins is in the keyring of the desktop, which cannot be read from here',
    {
      hint: 'Unlock the keyring and start the gateway from the desktop session, or set PORTOLAN_SECRET_KEY, sign in again and store the secrets again.',
    },
  )
}

const keysInKeyring = new Map<string, string>()
/** When a keyring last took so long to answer that it was waiting for the user. */
let waitedAt = -Infinity

/** Asks the keyring once; again only after a while if it is locked, as the whole process waits. */
function keyInKeyring(path: string, keyring: Keyring | undefined): string | undefined {
  if (keyring === undefined) return undefined
  const known = keysInKeyring.get(path)
  const startedAt = performance.now()
  if (known !== undefined || startedAt - waitedAt < ASK_AGAIN_MS) return known
  const key = keyring.read(path)
  if (key) keysInKeyring.set(path, key)
  else if (performance.now() - startedAt > ANSWER_MS / 2) waitedAt = performance.now()
  return key
}

function madeKeyIfAny(path: string, keyring: Keyring | undefined): string | undefined {
  try {
    return madeKey(path, keyring)
  } catch {
    return undefined
  }
}

function makeKey(path: string, keyring: Keyring | undefined): string {
  const key = randomBytes(32).toString('base64url')
  const isStored = keyring?.write(path, key) === true && keyring.read(path) === key
  const kept = linkSecret(path, isStored ? IN_KEYRING : key)
  return kept === IN_KEYRING ? (madeKey(path, keyring) ?? key) : kept
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
  read(account: string): string | undefined
  /** Returns whether it was stored. */
  write(account: string, secret: string): boolean
}

const SERVICE = 'portolan'
/** A locked keyring asks the user, which the start of a gateway must not wait for. */
const ANSWER_MS = 3_000
/** How long a keyring that is locked is left alone. */
const ASK_AGAIN_MS = 60_000

/** Returns undefined if there is none, as on a server without a desktop session. */
export function findKeyring(env: Environment, platform = process.platform): Keyring | undefined {
  if (env['PORTOLAN_KEYRING'] === 'off') return undefined
  if (platform === 'darwin') return macKeychain
  return platform === 'linux' && env['DBUS_SESSION_BUS_ADDRESS'] ? secretService : undefined
}

const secretService: Keyring = {
  read: (account) => ask('secret-tool', ['lookup', 'service', SERVICE, 'account', account]),
  write(account, secret) {
    const label = `--label=Portolan vault (${account})`
    const args = ['store', label, 'service', SERVICE, 'account', account]
    return ask('secret-tool', args, secret) !== undefined
  },
}

const macKeychain: Keyring = {
  read: (account) => ask('security', ['find-generic-password', '-s', SERVICE, '-a', account, '-w']),
  write(account, secret) {
    // The command goes to stdin, because other users can see the arguments of a process.
    const line = `add-generic-password -U -s ${SERVICE} -a "${account}" -w "${secret}"\n`
    return ask('security', ['-i'], line) !== undefined
  },
}

/** Where the session of a desktop listens; clients often start programs without its variable. */
const USUAL_BUS = `/run/user/${process.getuid?.()}/bus`

/** Returns the keyring that may hold a key made earlier, also where the session is not announced. */
function keyringOfSession(env: Environment): Keyring | undefined {
  const isSession = env['PORTOLAN_KEYRING'] !== 'off' && existsSync(USUAL_BUS)
  return findKeyring(env) ?? (isSession ? secretService : undefined)
}

/** Returns what a command prints, or undefined if it is missing, fails or takes too long. */
function ask(program: string, args: string[], input = ''): string | undefined {
  const bus = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${USUAL_BUS}` }
  const { status, stdout } = spawnSync(program, args, {
    input,
    encoding: 'utf8',
    timeout: ANSWER_MS,
    env: existsSync(USUAL_BUS) ? { ...bus, ...process.env } : process.env,
  })
  return status === 0 ? stdout.trim() : undefined
}
