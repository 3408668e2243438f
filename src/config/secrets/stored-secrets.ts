import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../base/environment.ts'
import { hasCode, messageOf } from '../../base/errors.ts'
import { readFoundFile } from '../../base/files/read-found-file.ts'
import { replaceFile } from '../../base/files/replace-file.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { identityFiles } from '../../identity/identity-files.ts'
import { openSeal } from '../../identity/vault/open-vault.ts'
import { linesWithout, parseSecrets } from './secrets-file.ts'

/** Where a person may write secrets by hand: they are sealed, and this file is removed. */
export function secretsFile(home: string): string {
  return join(home, 'secrets.env')
}

/** Where secrets are stored, sealed with the key of sign-ins. */
export function sealedSecretsFile(home: string): string {
  return join(home, 'secrets.sealed')
}

/** Returns the files whose changes change secrets. */
export function secretFiles(home: string): string[] {
  return [secretsFile(home), sealedSecretsFile(home)]
}

/** Binds what is sealed to its place. */
const SEALED_NAME = 'secrets'

/** Returns the values for `${NAME}` that the environment lacks. */
export function readSecrets(home: string, env: Environment): Environment {
  return parseSecrets(merged(sealedText(home, env), writtenText(home)) ?? '')
}

/** Returns what commands edit, as the text of one `secrets.env`; undefined if nothing is stored. */
export function secretsText(home: string, env: Environment): string | undefined {
  const written = writtenText(home)
  return isLink(secretsFile(home)) ? written : merged(sealedText(home, env), written)
}

/**
 * Stores the text sealed, and returns the file. A `secrets.env` that is a link is the person's own,
 * and written as it is.
 */
export function storeSecrets(home: string, env: Environment, text: string): string {
  const file = secretsFile(home)
  if (isLink(file)) {
    replaceFile(file, text, 0o600)
    return file
  }
  const sealed = sealedSecretsFile(home)
  const before = textOf(sealed)
  try {
    replaceFile(sealed, openSeal(identityFiles(home).vaultKey, env).close(text, SEALED_NAME), 0o600)
    if (sealedText(home, env) !== text) throw new Error(`${sealed} holds something else now`)
    rmSync(file, { force: true })
    return sealed
  } catch (error) {
    if (before === undefined) rmSync(sealed, { force: true })
    else if (textOf(sealed) !== before) replaceFile(sealed, before, 0o600)
    throw error
  }
}

/** Stores nothing any more. */
export function removeSecrets(home: string): void {
  rmSync(secretsFile(home), { force: true })
  rmSync(sealedSecretsFile(home), { force: true })
}

/**
 * Seals what a person has written into `secrets.env`, and again what an earlier key has sealed.
 * Returns whether `secrets.env` was removed. The caller holds the lock of the data folder.
 */
export function sealWritten(home: string, env: Environment): boolean {
  if (isLink(secretsFile(home))) return false
  const isWritten = writtenText(home) !== undefined
  const sealed = textOf(sealedSecretsFile(home))
  const seal = () => openSeal(identityFiles(home).vaultKey, env)
  const isStale = sealed !== undefined && seal().isStale(sealed, SEALED_NAME)
  const text = isWritten || isStale ? secretsText(home, env) : undefined
  if (text !== undefined) storeSecrets(home, env, text)
  return isWritten
}

function sealedText(home: string, env: Environment): string | undefined {
  const file = sealedSecretsFile(home)
  const sealed = textOf(file)
  if (sealed === undefined) return undefined
  try {
    return openSeal(identityFiles(home).vaultKey, env).open(sealed, SEALED_NAME)
  } catch (cause) {
    const hint = cause instanceof GatewayError ? cause.details.hint : undefined
    const message = `The stored secrets cannot be read (${file}): ${messageOf(cause)}`
    throw new GatewayError('SERVER_UNAVAILABLE', message, { hint, cause })
  }
}

function writtenText(home: string): string | undefined {
  return textOf(secretsFile(home))
}

/** Adds what was written to what is sealed; the newer value of a name replaces the older one. */
function merged(sealed: string | undefined, written: string | undefined): string | undefined {
  if (sealed === undefined || written === undefined) return sealed ?? written
  // After an interruption, both hold the same.
  if (sealed === written || sealed.endsWith(`\n${written}`)) return sealed
  return linesWithout(sealed, Object.keys(parseSecrets(written))) + written
}

function textOf(file: string): string | undefined {
  try {
    const text = readFoundFile(file)
    if (text !== undefined) return text
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
  throw new Error(`${file} is not a plain file, or is huge`)
}

function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
}
