import { readdirSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { hasCode } from '../../base/errors.ts'
import { readFoundBytes } from '../../base/files/read-found-file.ts'
import { replaceFile, targetOf } from '../../base/files/replace-file.ts'
import {
  FILE_KINDS,
  FILE_NAMES,
  type Workspace,
  candidates,
  dataFolder,
  explicitPath,
} from '../paths.ts'
import { isSealed } from '../../identity/vault/seal.ts'
import {
  removeSecrets,
  sealedSecretsFile,
  secretsFile,
  secretsText,
  storeSecrets,
} from '../secrets/stored-secrets.ts'
import { realPath, trustListFile } from '../trust/trust-list.ts'

/** The contents of files by their real paths; null where there is no file. */
export type Contents = ReadonlyMap<string, Buffer | null>

/** Returns the files whose changes are versions, for a folder: the person's own, and the folder's. */
export function configFiles(place: Workspace): string[] {
  const home = dataFolder(place)
  const paths = FILE_KINDS.flatMap((kind) => candidates(kind, place))
  const scripts = join(home, 'scripts')
  return [...paths, secretsFile(home), trustListFile(place), ...filesIn(scripts)].map(realPath)
}

/** Whether a file is one of another folder, which a change or rollback in this one leaves alone. */
export function isElsewhere(path: string, place: Workspace): boolean {
  if (!Object.values(FILE_NAMES).includes(basename(path))) return false
  const folders = [dataFolder(place), place.cwd, resolve(place.cwd, 'config')]
  const here = folders.map((folder) => realPath(join(folder, basename(path))))
  const named = FILE_KINDS.map((kind) => explicitPath(kind, place) ?? '').map(realPath)
  return ![...here, ...named].includes(path)
}

export function readContents(paths: Iterable<string>, place: Workspace): Contents {
  return new Map([...paths].map((path) => [path, contentOf(path, place)]))
}

/** Returns the content of a file; null if there is none that a version can hold. */
export function contentOf(path: string, place: Workspace): Buffer | null {
  try {
    if (isSecrets(path, place)) return secretsOf(place)
    return readFoundBytes(path) ?? null
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return null
    throw error
  }
}

/** Writes or removes a file; a new one is readable by its owner only, as it may hold secrets. */
export function writeContent(path: string, content: Buffer | null, place: Workspace): void {
  if (isSecrets(path, place)) {
    if (content === null) removeSecrets(dataFolder(place))
    else if (isSealed(content)) replaceFile(sealedSecretsFile(dataFolder(place)), content, 0o600)
    else storeSecrets(dataFolder(place), place.env, content.toString('utf8'))
  } else if (content === null) rmSync(targetOf(path), { force: true })
  else replaceFile(path, content, 0o600)
}

/** Returns the file whose versions are those of the secrets, if portolan.yaml has moved the data folder. */
export function movedSecrets(home: string, place: Workspace): string[] {
  return home === dataFolder(place) ? [] : [sealedSecretsFile(home)]
}

/** Whether a path stands for the stored secrets, whose text is sealed in another file. */
function isSecrets(path: string, place: Workspace): boolean {
  return realPath(path) === realPath(secretsFile(dataFolder(place)))
}

/** What no key opens any more is recorded as it is, so that other changes remain possible. */
function secretsOf(place: Workspace): Buffer | null {
  const home = dataFolder(place)
  try {
    const text = secretsText(home, place.env)
    return text === undefined ? null : Buffer.from(text)
  } catch {
    return readFoundBytes(sealedSecretsFile(home)) ?? null
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map(({ name }) => join(folder, name))
  } catch {
    return []
  }
}

export function isSameContent(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other)
}
