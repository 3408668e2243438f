import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { formatSecrets, secretsFile } from '../../config/secrets-file.ts'
import { editJson } from '../shared/edit-json.ts'
import { replaceFile } from '../shared/replace-file.ts'
import type { Planned } from './plan-import.ts'

/** Adds the entries to the servers file, whose other content and layout stay. */
export function writeServers(target: string, text: string, taken: readonly Planned[]): void {
  let edited = text
  // Each goes in front of the others, so that the last comes first.
  for (const { name, hidden } of taken.toReversed())
    edited = editJson(edited, ['mcpServers', name], hidden)
  replaceFile(target, edited.endsWith('\n') ? edited : `${edited}\n`)
}

/** Appends to `secrets.env`, which only its owner may read; the path is given either way. */
export function keepSecrets(
  home: string,
  secrets: ReadonlyMap<string, string>,
  { write }: { write: boolean },
): string {
  const file = secretsFile(home)
  if (!write) return file
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const gap = before === '' || before.endsWith('\n') ? '' : '\n'
  replaceFile(file, before + gap + formatSecrets(secrets), 0o600)
  return file
}
