import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { formatSecrets } from '../../../config/secrets/secrets-file.ts'
import { replaceFile, textOf } from './replace-file.ts'

/** Appends to `secrets.env`, which only its owner can read. */
export function appendSecrets(file: string, secrets: ReadonlyMap<string, string>): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const before = textOf(file)
  const gap = before === '' || before.endsWith('\n') ? '' : '\n'
  replaceFile(file, before + gap + formatSecrets(secrets), 0o600)
}
