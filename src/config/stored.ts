import type { PartSource } from './reload/load-part.ts'
import { FILE_NAMES, type FileKind, type Workspace, explicitPath, filesHere } from './paths.ts'

/** One pushed version of the configuration in the database: the texts of up to three files. */
export interface StoredVersion {
  readonly version: number
  readonly texts: { readonly [kind in FileKind]?: string | undefined }
}

/** The source of a pushed configuration, which is read synchronously like a file. */
export interface StoredConfig {
  /** The newest version this process knows. */
  readonly latest: StoredVersion
  /** Calls the listener when there is a newer version; returns a function that stops this. */
  onChange(listener: () => void): () => void
}

/** Returns a named file before the pushed version, and the pushed version before found files. */
export function sourceOf(
  kind: FileKind,
  place: Workspace,
  flag: string | undefined,
  stored: StoredVersion | undefined,
): PartSource {
  if (stored === undefined) return { layers: filesHere(kind, place, flag) }
  const named = explicitPath(kind, place, flag)
  if (named !== undefined) return { layers: [{ level: 'project', path: named, named: true }] }
  const text = stored.texts[kind]
  const { version } = stored
  const path = `database:${FILE_NAMES[kind]}`
  return { layers: text === undefined ? [] : [{ level: 'project', path, text }], version }
}
