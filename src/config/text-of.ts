import { existsSync } from 'node:fs'
import { readFoundFile } from '../base/files/read-found-file.ts'
import { GatewayError } from '../gateway/errors.ts'

/** Returns the text of a file; empty if there is none. */
export function textOf(path: string): string {
  const text = existsSync(path) ? readFoundFile(path) : ''
  if (text !== undefined) return text
  throw new GatewayError('INVALID_PARAMS', `${path} is not a plain file, or too large to be read`)
}
