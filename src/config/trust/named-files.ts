import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { readIfFound } from '../../base/files/read-found-file.ts'
import { isObject } from '../../base/json/json.ts'
import { shellWord } from '../../base/text/shell-word.ts'
import { LOCK_NAME, type Workspace, expandPath } from '../paths.ts'
import { parseJson } from '../parse-text.ts'
import { substitute } from '../secrets/variables.ts'
import { realPath } from './trust-list.ts'

/**
 * The files that a trusted servers file names, with the hash of their text when it was trusted: API
 * descriptions say where keys are sent, and files of variables what a program loads.
 */
export type NamedFiles = Readonly<Record<string, string>>

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Whether a path in the key `openapi` is a URL or the bare name of an API pack. */
export function isAddress(openapi: string): boolean {
  return /^https?:\/\//i.test(openapi) || /^[\w-]+$/.test(openapi)
}

/** Says that a file is not as it was when the servers file that names it was trusted. */
export function whyChanged(path: string, folder: string): string {
  return `${path} has changed since it was trusted. Read it, then run: portolan trust ${shellWord(folder)}`
}

/** Returns the paths that a servers file names. */
export function namedPathsIn(file: string, text: string, { env }: Workspace): string[] {
  const place = { cwd: dirname(file), env }
  const paths = entriesIn(text, env).flatMap(({ openapi, envFile }) => [
    ...(typeof openapi === 'string' && !isAddress(openapi) ? [openapi] : []),
    ...(typeof envFile === 'string' ? [envFile] : []),
  ])
  // The lock beside it says which definitions of its servers are used.
  return [...paths, LOCK_NAME].map((path) => expandPath(path, place))
}

/** Returns the files that a servers file names, as they are now. */
export function namedFilesIn(file: string, text: string, place: Workspace): NamedFiles {
  return Object.fromEntries(
    namedPathsIn(file, text, place).flatMap((path) => {
      const named = realPath(path)
      const content = readIfFound(named)
      return content === undefined ? [] : [[named, hashOf(content)]]
    }),
  )
}

function entriesIn(text: string, env: Workspace['env']) {
  try {
    const content = parseJson(text)
    const servers = isObject(content) ? content['mcpServers'] : undefined
    const filled = substitute(isObject(servers) ? Object.values(servers) : [], env).value
    return Array.isArray(filled) ? filled.filter(isObject) : []
  } catch {
    return []
  }
}
