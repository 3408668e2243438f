import { join } from 'node:path'
import { readFoundFile } from '../../base/files/read-found-file.ts'
import { hasCode } from '../../base/errors.ts'
import type { Environment } from '../../base/environment.ts'

/** The file of secrets that `portolan import` extracts: `NAME=value` lines, for its owner only. */
export function secretsFile(home: string): string {
  return join(home, 'secrets.env')
}

/** Reads the values for `${NAME}` that the environment lacks; empty if there is no file. */
export function readSecrets(home: string): Environment {
  try {
    const text = readFoundFile(secretsFile(home))
    if (text !== undefined) return parseSecrets(text)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return {}
    throw error
  }
  throw new Error(`${secretsFile(home)} is not a plain file, or is huge`)
}

export function parseSecrets(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, unquoted(value)] as const]
  })
  return Object.fromEntries(lines)
}

/** Writes values as JSON strings: each is one line, and a shell reads simple ones the same. */
export function formatSecrets(secrets: ReadonlyMap<string, string>): string {
  return [...secrets].map(([name, value]) => `${name}=${JSON.stringify(value)}\n`).join('')
}

function unquoted(value: string): string {
  const trimmed = value.trim()
  if (!trimmed.startsWith('"')) return trimmed.replace(/^'(.*)'$/, '$1')
  try {
    const parsed: unknown = JSON.parse(trimmed)
    return typeof parsed === 'string' ? parsed : trimmed
  } catch {
    return trimmed
  }
}
